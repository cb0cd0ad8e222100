"""A server that answers as it is told, over real HTTP."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

# As the server answers when its database is gone for longer than it waits.
AWAY = {
    "error": {
        "type": "services",
        "code": "services.connection_lost",
        "message": "a service stopped answering",
    }
}


def outcome(seq: int, **more: Any) -> dict[str, Any]:
    return {
        "observation": {"message": f"outcome {seq}"},
        "reward": None,
        "terminated": False,
        "truncated": False,
        "info": {"action_seq": seq},
        **more,
    }


class Server(ThreadingHTTPServer):
    """Answers with what it was given for a path, one after the other; keeps what it was asked."""

    request_queue_size = 128

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[tuple[str, str, Any]] = []
        self.answers: dict[str, list[tuple[int, dict[str, str], Any]]] = {}
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    def will(
        self,
        path: str,
        *answers: tuple[int, Any] | None,
        starting: bool = False,
        length: int | None = None,
    ) -> None:
        """None: the connection breaks. `length`: so many bytes are promised."""
        headers = {"X-Backend-State": "starting", "Retry-After": "0"} if starting else {}
        if length is not None:
            headers["Content-Length"] = str(length)
        self.answers.setdefault(path, []).extend(
            (0, {}, None) if answer is None else (answer[0], headers, answer[1])
            for answer in answers
        )


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        self._answer(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

    def do_GET(self) -> None:
        self._answer(None)

    def do_DELETE(self) -> None:
        self._answer(None)

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def _answer(self, body: Any) -> None:
        self.server.asked.append((self.command, self.path, body))
        status, headers, document = self.server.answers[self.path].pop(0)
        if status == 0:
            self.connection.close()
            return
        lines = document if isinstance(document, list) else [document]
        data = "\n".join(json.dumps(line) for line in lines).encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(data)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)


@contextmanager
def serving() -> Iterator[Server]:
    server = Server()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


def begun(name: str) -> dict[str, Any]:
    return {
        "episode_id": name,
        "observation": {"message": "play"},
        "info": {"action_seq": 0, "task": "t"},
    }
