"""Plays MCP's own client and NeMo Gym's own gymnasium agent against `bench env serve`: `npm run build && npm run accept:mcp-nemo`.

Makes a virtual environment each, and a home, in a temporary folder. What cannot be installed here is skipped, and it says so; NeMo Gym needs
Python 3.12 and 1 GB of disk.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from bench_server import ROOT, Server, Throwaway, environment
from packages import MCP, NEMO, newer_python

HERE = Path(__file__).parent
LINES = [
    "```bash\nprintf 'def row_strategy(history):\\n    return 0\\n' > strategy.py\n```",
    "validate",
    "submit",
]


class Responses(BaseHTTPRequestHandler):
    """A model of the Responses API that answers its k-th turn with the k-th line."""

    def do_POST(self) -> None:
        body: dict[str, Any] = json.loads(self.rfile.read(int(self.headers["content-length"])))
        turn = sum(item.get("role") == "assistant" for item in body["input"])
        content = {"type": "output_text", "text": LINES[min(turn, 2)], "annotations": []}
        message = {"type": "message", "id": f"m{turn}", "role": "assistant", "status": "completed"}
        document = {
            "id": f"r{turn}",
            "object": "response",
            "created_at": 1,
            "model": "policy",
            "output": [{**message, "content": [content]}],
            "tools": [],
            "tool_choice": "auto",
            "parallel_tool_calls": False,
        }
        text = json.dumps(document).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: object) -> None:
        pass


def run(name: str, command: list[str], server: Server) -> bool:
    """Runs a client, and kills the server where it asks for it."""
    began = time.monotonic()
    # NeMo Gym writes down its configuration where it is started.
    client = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, cwd=server.env["BENCH_HOME"]
    )
    assert client.stdout is not None
    for line in client.stdout:
        if line.strip() == "kill the server":
            threading.Timer(2, server.kill_server).start()
        else:
            print(f"    {line.rstrip()}", flush=True)
    passed = client.wait() == 0
    print(f"  {'ok' if passed else 'FAILED'} {name} ({time.monotonic() - began:.0f} s)", flush=True)
    return passed


def main() -> int:
    if not (ROOT / "dist/cli/main.js").exists():
        raise SystemExit("dist/ is missing: npm run build")
    failed = 0
    with Throwaway() as place:
        server = place.serve("--name", "accept", "--tasks", "battleOfSexes")
        python = environment(place.folder / "mcp", [MCP])
        if python is None:
            print("SKIPPED: mcp cannot be installed here; see pip's error above")
        else:
            print(MCP, flush=True)
            client = [str(python), "-I", str(HERE / "mcp_client.py")]
            failed += not run("played", [*client, "played", server.url], server)
        newer = newer_python()
        agent = None
        if newer is not None:
            agent = environment(place.folder / "nemo-gym", *NEMO, python=newer)
        if agent is None:
            print("SKIPPED: nemo-gym needs Python 3.12 and a package registry")
        else:
            print("nemo-gym 0.4.0", flush=True)
            model = ThreadingHTTPServer(("127.0.0.1", 0), Responses)
            threading.Thread(target=model.serve_forever, daemon=True).start()
            address = f"http://127.0.0.1:{model.server_port}"
            client = [str(agent), "-I", str(HERE / "nemo_client.py"), server.url, address]
            failed += not run("gymnasium agent", client, server)
    print("all passed" if failed == 0 else f"{failed} failed")
    return 1 if failed else 0


sys.exit(main())
