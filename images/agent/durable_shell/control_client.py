"""Asks the supervisor on behalf of a worker that comes by the engine's exec.

It shares no directory with the container.

One request on stdin, one answer on stdout, each a line of JSON: {"reply": what the supervisor said,
or null when there is none, "outcome": text of the outcome's file, or null}. Empty lines before it
say that we wait. When stdin closes, the worker has gone: so do we.
"""

from __future__ import annotations

import json
import os
import select
import socket
import sys
from typing import Any

CONTROL = "/run/bench/control"
# How often an empty line tells the worker that the connection stands.
ALIVE_SECONDS = 5.0
OUTCOME_FILE_BYTES = 6 * 1024 * 1024


def main() -> None:
    os.chdir(CONTROL)
    line = b""
    while not line.endswith(b"\n"):
        chunk = os.read(0, 1024 * 1024)
        if not chunk:
            sys.exit(1)
        line += chunk
    request = json.loads(line)
    reply = ask(line)
    outcome = None
    if request["op"] == "submit" and (reply is None or "done" in reply):
        outcome = read_outcome(f"steps/{int(request['n'])}")
    if request["op"] == "exec" and (reply is None or "ended" in reply):
        outcome = read_outcome(f"execs/{os.path.basename(request['key'])}")
    answer = json.dumps({"reply": reply, "outcome": outcome}, ensure_ascii=False)
    view = memoryview(answer.encode("utf-8", "replace") + b"\n")
    while view:
        view = view[os.write(1, view) :]


def ask(line: bytes) -> dict[str, Any] | None:
    """The supervisor's reply; None: it is not there, or went while we waited."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as supervisor:
        try:
            supervisor.connect("sock")
            supervisor.sendall(line)
            reply = b""
            while not reply.endswith(b"\n"):
                readable = select.select([0, supervisor.fileno()], [], [], ALIVE_SECONDS)[0]
                if not readable:
                    os.write(1, b"\n")
                if 0 in readable and not os.read(0, 65536):
                    sys.exit(1)
                if supervisor.fileno() in readable:
                    chunk = supervisor.recv(65536)
                    if not chunk:
                        return None
                    reply += chunk
            answer: dict[str, Any] = json.loads(reply)
            return answer
        except OSError:
            return None


def read_outcome(place: str) -> str | None:
    try:
        with open(f"{place}/outcome.json", "rb") as file:
            return file.read(OUTCOME_FILE_BYTES).decode("utf-8", "replace")
    except FileNotFoundError:
        return None


if __name__ == "__main__":
    main()
