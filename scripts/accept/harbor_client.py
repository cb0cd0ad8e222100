"""Plays a rollout with OpenEnv's own HarborEnv against `bench env serve`, and has OpenEnv accept its training trace.

    python3 -P scripts/accept/harbor_client.py <address of the server>

An endpoint that returns token ids as vLLM does is started here.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from openenv.harbor.client import HarborEnv
from openenv.harbor.contract import to_training_trace

COMMANDS = ["ls", "validate", "submit"]


class Endpoint(BaseHTTPRequestHandler):
    """Plays COMMANDS in turn. A byte is a token."""

    def do_POST(self) -> None:
        body: dict[str, Any] = json.loads(self.rfile.read(int(self.headers["content-length"])))
        turn = sum(message["role"] == "assistant" for message in body["messages"])
        text = f"Next.\n```bash\n{COMMANDS[min(turn, 2)]}\n```\n"
        ids = list(text.encode())
        choice: dict[str, Any] = {
            "index": 0,
            "finish_reason": "stop",
            "message": {"role": "assistant", "content": text},
            "logprobs": {
                "content": [
                    {"token": chr(i), "logprob": -i / 1000, "top_logprobs": []} for i in ids
                ]
            },
            "token_ids": ids,
        }
        answer = {
            "id": "x",
            "object": "chat.completion",
            "created": 0,
            "model": body["model"],
            "choices": [choice],
            "prompt_token_ids": list(json.dumps(body["messages"]).encode()),
            "usage": {
                "prompt_tokens": 10,
                "completion_tokens": len(ids),
                "total_tokens": 10 + len(ids),
            },
        }
        said = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *_: object) -> None:
        pass


def main() -> None:
    server = sys.argv[1]
    # The server plays rollouts only at addresses that it was configured with.
    stub = ThreadingHTTPServer(("127.0.0.1", int(os.environ["ENDPOINT_PORT"])), Endpoint)
    threading.Thread(target=stub.serve_forever, daemon=True).start()
    endpoint = f"http://127.0.0.1:{stub.server_port}/v1"
    with HarborEnv(base_url=server) as env:
        split = env.splits()[0]["name"]
        assert env.num_tasks(split) == len(env.get_task_range(split, 0, 1000)) > 0
        assert env.get_task(split, 0).instruction
        assert any(one["name"] == "bash-only" for one in env.capabilities()["harnesses"])
        result = env.run_rollout(
            split=split,
            task_index=0,
            harness="bash-only",
            llm_url=endpoint,
            model="policy",
            api_key="sk-canary",
            sampling={"temperature": 0.8},
        )
        assert result.ok and result.rollout_type == "train", (result.error, result.findings)
        trace = to_training_trace(result)
        assert len(trace.turns) == result.n_turns > 0
        failed = env.run_rollout(split=split, llm_url=endpoint, model="policy", harness="unknown")
        assert not failed.ok and failed.reward is None and "unknown" in (failed.error or "")
    print({"reward": result.reward, "turns": len(trace.turns)})


if __name__ == "__main__":
    main()
