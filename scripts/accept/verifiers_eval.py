"""verifiers' own taskset for OpenEnv, with a scripted model: what `vf-eval` was paid."""

from __future__ import annotations

import json
import os
import re
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

from bench_server import ROOT

PACKAGES = ["verifiers[openenv]==0.4.0", "uv"]


class Endpoint(BaseHTTPRequestHandler):
    """An OpenAI-compatible model that answers its k-th turn with the k-th of its lines, streamed if it is asked to."""

    protocol_version = "HTTP/1.1"
    lines: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self._answer({"object": "list", "data": [{"id": "policy", "object": "model"}]})

    def do_POST(self) -> None:
        body: dict[str, Any] = json.loads(self.rfile.read(int(self.headers["content-length"])))
        turn = sum(message["role"] == "assistant" for message in body["messages"])
        said = {"role": "assistant", "content": self.lines[min(turn, len(self.lines) - 1)]}
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


def evaluate(
    python: Path, folder: Path, url: str, lines: list[str], resets: list[dict[str, Any]]
) -> list[float]:
    """Plays the lines once per reset with `vf-eval`, as examples/trainers/verifiers.toml configures it. Returns the rewards; there may be no error."""
    model = type("Model", (Endpoint,), {"lines": lines})
    stub = ThreadingHTTPServer(("127.0.0.1", 0), model)
    threading.Thread(target=stub.serve_forever, daemon=True).start()
    config = (ROOT / "examples/trainers/verifiers.toml").read_text()
    config = config.replace("http://127.0.0.1:8000", f"http://127.0.0.1:{stub.server_port}")
    config = config.replace("http://127.0.0.1:8123/t/TOKEN", url)
    rows = ", ".join(inline(reset) for reset in resets)
    config = re.sub(r"^resets = .*$", f"resets = [{rows}]", config, flags=re.MULTILINE)
    folder.mkdir()
    (folder / "vf.toml").write_text(config)
    bin_folder = str(python.parent)
    subprocess.run(
        [f"{bin_folder}/vf-eval", "@", str(folder / "vf.toml"), "--no-rich"],
        cwd=folder,
        env={**os.environ, "ANY": "any", "PATH": f"{bin_folder}:{os.environ['PATH']}"},
        check=True,
    )
    files = list(folder.glob("**/traces.jsonl"))
    assert len(files) == 1, files
    rows_played = [json.loads(line) for line in files[0].read_text().splitlines()]
    traces = [trace for row in rows_played for trace in row["traces"]]
    assert len(traces) == len(resets), rows_played
    assert not any(one["errors"] for one in [*rows_played, *traces]), rows_played
    return [trace["rewards"]["openenv_reward"]["score"] for trace in traces]


def inline(reset: dict[str, Any]) -> str:
    """As a table of TOML on one line; texts and numbers are written as in JSON."""
    pairs = [
        f"{key} = {inline(value) if isinstance(value, dict) else json.dumps(value)}"
        for key, value in reset.items()
    ]
    return "{ " + ", ".join(pairs) + " }"
