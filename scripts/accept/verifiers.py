"""Plays `bench env serve` with verifiers' own taskset for OpenEnv: `npm run build && npm run accept:verifiers`.

`vf-eval` reads examples/trainers/verifiers.toml, with the addresses of what is started here. Makes a virtual environment of 0.5 GB
and a home of its own, both in a temporary folder. Without a package registry it says so and exits with 0.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from bench_server import ROOT, Throwaway, environment, node

LINES = [
    "printf 'def row_strategy(history):\\n    return 0\\n' > strategy.py",
    "validate",
    '{"cmd": 1}',
    "submit",
]


class Endpoint(BaseHTTPRequestHandler):
    """An OpenAI-compatible model that answers its k-th turn with the k-th line, streamed if it is asked to."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._answer({"object": "list", "data": [{"id": "policy", "object": "model"}]})

    def do_POST(self) -> None:
        body: dict[str, Any] = json.loads(self.rfile.read(int(self.headers["content-length"])))
        turn = sum(message["role"] == "assistant" for message in body["messages"])
        said = {"role": "assistant", "content": LINES[min(turn, len(LINES) - 1)]}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        head = {"id": "x", "created": 1, "model": "policy"}
        if not body.get("stream"):
            choice = {"index": 0, "finish_reason": "stop", "message": said}
            return self._answer(
                {**head, "object": "chat.completion", "choices": [choice], "usage": usage}
            )
        chunks: list[dict[str, Any]] = [
            {"choices": [{"index": 0, "delta": said, "finish_reason": None}]},
            {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
            {"choices": [], "usage": usage},
        ]
        events = [
            json.dumps({**head, "object": "chat.completion.chunk", **chunk}) for chunk in chunks
        ]
        self._send(
            "text/event-stream", "".join(f"data: {event}\n\n" for event in [*events, "[DONE]"])
        )

    def _answer(self, document: Any) -> None:
        self._send("application/json", json.dumps(document))

    def _send(self, kind: str, text: str) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: object) -> None:
        pass


def stored(home: Path) -> list[float]:
    """What the episodes were paid, as the record has it."""
    query = "select sum(w.reward) as paid from episodes e, action_rewards(array[e.run_id]) w group by e.run_id order by 1"
    command = [node(), str(ROOT / "dist/cli/main.js"), "sql", query, "--json"]
    done = subprocess.run(
        command,
        env={**os.environ, "BENCH_HOME": str(home)},
        check=True,
        capture_output=True,
        text=True,
    )
    return [float(row[0]) for row in json.loads(done.stdout)["rows"]]


def main() -> int:
    if not (ROOT / "dist/cli/main.js").exists():
        raise SystemExit("dist/ is missing: npm run build")
    stub = ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
    threading.Thread(target=stub.serve_forever, daemon=True).start()
    with Throwaway() as place:
        python = environment(place.folder / "verifiers", ["verifiers[openenv]==0.4.0", "uv"])
        if python is None:
            print("SKIPPED: verifiers cannot be installed here; see pip's error above")
            return 0
        server = place.serve("--name", "accept", "--tasks", "battleOfSexes")
        config = (ROOT / "examples/trainers/verifiers.toml").read_text()
        config = config.replace("http://127.0.0.1:8000", f"http://127.0.0.1:{stub.server_port}")
        # Two groups of two.
        seeds = [1, 1, 2, 2]
        resets = ", ".join(f'{{ task = "battleOfSexes", seed = {seed} }}' for seed in seeds)
        config = re.sub(r"^resets = .*$", f"resets = [{resets}]", config, flags=re.MULTILINE)
        (place.folder / "vf.toml").write_text(config.replace("http://127.0.0.1:8123", server.url))
        bin_folder = str(python.parent)
        subprocess.run(
            [f"{bin_folder}/vf-eval", "@", str(place.folder / "vf.toml"), "--no-rich"],
            cwd=place.folder,
            env={**os.environ, "ANY": "any", "PATH": f"{bin_folder}:{os.environ['PATH']}"},
            check=True,
        )
        files = list(place.folder.glob("**/traces.jsonl"))
        assert len(files) == 1, files
        lines = [json.loads(line) for line in files[0].read_text().splitlines()]
        traces = [trace for line in lines for trace in line["traces"]]
        assert len(traces) == len(seeds) and not any(one["errors"] for one in [*lines, *traces]), (
            lines
        )
        paid = sorted(trace["rewards"]["openenv_reward"]["score"] for trace in traces)
        assert paid == stored(place.home), (paid, stored(place.home))
        print(f"ok: {len(paid)} rollouts, rewards {paid}")
    return 0


sys.exit(main())
