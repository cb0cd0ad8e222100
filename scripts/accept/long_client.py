"""A command longer than any timeout, by one unmodified client: `long_client.py <client> <url> <seconds>`, run by long_steps.py in its environment.

At the client's own defaults nothing may be lost, executed twice, or be another command's answer.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
import time
import urllib.request
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

TASK = "csvClassification"
URL = sys.argv[2]
SECONDS = sys.argv[3]
COMMANDS = [
    "echo begin",
    f"echo x >> marks; sleep {SECONDS}; echo slept $(wc -l < marks)",
    "echo after $(wc -l < marks)",
]
ANSWERS = ["begin", "slept 1", "after 1"]


def check(answers: list[str]) -> None:
    said = [answer.splitlines()[0] for answer in answers]
    assert said == ANSWERS, answers


def openenv() -> None:
    from openenv import GenericEnvClient

    with GenericEnvClient(base_url=URL).sync() as env:
        env.reset(task=TASK)

        def act(command: str) -> str:
            result = env.step({"command": command})
            while result.metadata["status"] == "running":
                result = env.step({"command": "wait"})
            return str(result.metadata["output"])

        check([act(command) for command in COMMANDS])
        assert env.step({"command": "submit"}).done


def openreward() -> None:
    from openreward import OpenReward

    bench = OpenReward(base_url="http://localhost").environments.get("bench")
    with bench.session(split="train", index=0) as session:
        said = [session.call_tool("run", {"command": one}).blocks[0].text for one in COMMANDS]
        check(said)
        assert session.call_tool("submit", {}).finished


def rest() -> None:
    sys.path.append(str(Path(__file__).resolve().parents[2] / "clients/python"))
    from bench_rl import BenchClient

    episode = BenchClient(URL).reset(task=TASK)
    check([episode.step(command).observation for command in COMMANDS])
    assert episode.step("submit").terminated


def mcp() -> None:
    from mcp import ClientSession
    from mcp.client.streamable_http import streamablehttp_client

    async def play() -> None:
        reset = {"X-Bench-Reset": json.dumps({"task": TASK})}
        async with (
            streamablehttp_client(f"{URL}/v1/mcp", headers=reset) as (read, write, _),
            ClientSession(read, write) as session,
        ):
            await session.initialize()
            said = [await session.call_tool("run", {"command": one}) for one in COMMANDS]
            check(["".join(block.text for block in one.content) for one in said])
            done = await session.call_tool("submit", {})
            assert done.meta["bench"]["done"], done

    asyncio.run(play())


class Model(BaseHTTPRequestHandler):
    """Plays COMMANDS, then submits, and keeps the answers: by chat completions, or by the Responses API."""

    answers: ClassVar[list[str]] = []

    def do_POST(self) -> None:
        body: dict[str, Any] = json.loads(self.rfile.read(int(self.headers["content-length"])))
        chat = "messages" in body
        items = body["messages" if chat else "input"]
        turn = sum(item.get("role") == "assistant" for item in items)
        if turn > 0:
            self.answers.append(json.dumps(items[-1]["content"]))
        text = f"```bash\n{[*COMMANDS, 'submit'][turn]}\n```"
        document: dict[str, Any] = {"id": f"x{turn}", "model": "policy"}
        if chat:
            said = {"role": "assistant", "content": text}
            choice = {"index": 0, "finish_reason": "stop", "message": said}
            usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            document |= {"object": "chat.completion", "created": 1, "choices": [choice]}
            document |= {"usage": usage}
        else:
            content = {"type": "output_text", "text": text, "annotations": []}
            message = {"type": "message", "id": f"m{turn}", "role": "assistant"}
            message |= {"status": "completed", "content": [content]}
            document |= {"object": "response", "created_at": 1, "output": [message], "tools": []}
            document |= {"tool_choice": "auto", "parallel_tool_calls": False}
        answer = json.dumps(document).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        pass

    @classmethod
    def serve(cls) -> str:
        # The server plays rollouts only at addresses that it was configured with.
        port = int(os.environ.get("ENDPOINT_PORT", "0"))
        server = ThreadingHTTPServer(("127.0.0.1", port), cls)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{server.server_port}"

    @classmethod
    def check(cls) -> None:
        assert len(cls.answers) == len(ANSWERS), cls.answers
        for said, answer in zip(cls.answers, ANSWERS, strict=True):
            assert answer in said, cls.answers


def nemo() -> None:
    sys.path.append(str(Path(__file__).parent))
    model = Model.serve()
    del sys.argv[1:]
    from nemo_client import agent_of
    from responses_api_agents.gymnasium_agent.app import GymnasiumAgentRunRequest
    from starlette.requests import Request

    async def play() -> Any:
        request = Request({"type": "http", "headers": [], "method": "POST", "path": "/run"})
        params = {"input": "Play.", "parallel_tool_calls": False}
        row = GymnasiumAgentRunRequest(task=TASK, responses_create_params=params)
        return await agent_of(URL, model).run(request, row)

    done = asyncio.run(play())
    assert done.terminated and not done.truncated, done
    Model.check()


def ask(method: str, path: str, body: object = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    headers = {"content-type": "application/json"}
    request = urllib.request.Request(URL + path, data=data, headers=headers, method=method)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def rollouts() -> None:
    model = {"base_url": f"{Model.serve()}/v1", "model": "policy"}
    labels = {"who": "rollouts"}
    ask("POST", "/v1/rollouts", {"task": TASK, "model": model, "labels": labels})
    found: list[Any] = []
    while not found:
        found = ask("GET", "/v1/rollouts?label=who=rollouts")["rollouts"]
    assert len(found) == 1 and found[0]["ok"] and len(found[0]["turns"]) == 4, found
    Model.check()


def harbor() -> None:
    """Its client waits 1,800 s in all: a rollout that takes longer is a failure without a reward there, and is collected later."""
    from openenv.harbor.client import HarborEnv

    endpoint = f"{Model.serve()}/v1"
    began = time.monotonic()
    with HarborEnv(base_url=URL) as env:
        result = env.run_rollout(
            split="train", task_index=0, harness="bash-only", llm_url=endpoint, model="harbor"
        )
    print(f"harbor's client: ok {result.ok}, {result.error}, {time.monotonic() - began:.0f} s")
    if not result.ok:
        assert result.reward is None and "still runs" in (result.error or ""), result
        name = (result.error or "").split()[1]
        while (kept := ask("GET", f"/v1/rollouts/{name}?wait_s=50"))["status"] != "ended":
            pass
        assert kept["ok"] and len(kept["turns"]) == 4, kept
    Model.check()


CLIENTS: dict[str, Callable[[], None]] = {
    "openenv": openenv,
    "openreward": openreward,
    "rest": rest,
    "mcp": mcp,
    "nemo": nemo,
    "rollouts": rollouts,
    "harbor": harbor,
}

if __name__ == "__main__":
    CLIENTS[sys.argv[1]]()
