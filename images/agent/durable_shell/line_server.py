"""A unix socket that speaks newline-terminated lines, many clients at once, over the event loop."""

from __future__ import annotations

import fcntl
import os
import socket
from collections.abc import Callable
from functools import partial

from . import limits
from .event_loop import EventLoop, guarded


def move_up(sock: socket.socket) -> socket.socket:
    """The same socket under a number that a shell does not inherit something else by."""
    with sock:
        number = fcntl.fcntl(sock, fcntl.F_DUPFD_CLOEXEC, limits.MOVED_UP_TO)
    return socket.socket(fileno=number)


class Connection:
    def __init__(self, server: LineServer, sock: socket.socket) -> None:
        self.sock = sock
        self._server = server
        self._buffer = bytearray()

    def readable(self) -> None:
        try:
            chunk = self.sock.recv(256 * 1024)
        except BlockingIOError:
            return
        except OSError:
            chunk = b""
        if not chunk:
            self.close()
            return
        self._buffer += chunk
        if len(self._buffer) > self._server.line_bytes:
            if self._server.too_long:
                self.send(self._server.too_long)
            self.close()
            return
        while (end := self._buffer.find(b"\n")) >= 0:
            line = bytes(self._buffer[:end])
            del self._buffer[: end + 1]
            guarded(partial(self._server.on_line, self, line))

    def send(self, line: bytes) -> None:
        """Replies are short; a client that does not read its own is cut off."""
        try:
            self.sock.sendall(line + b"\n")
        except OSError:
            self.close()

    def close(self) -> None:
        self._server.forget(self)
        self.sock.close()


class LineServer:
    def __init__(
        self,
        loop: EventLoop,
        path: str,
        mode: int,
        line_bytes: int,
        on_line: Callable[[Connection, bytes], None],
        most_connections: int,
        too_long: bytes = b"",
    ) -> None:
        """`path` must be short: callers bind relative to the current directory.

        `too_long` answers a line beyond the limit.
        """
        self.too_long = too_long
        self.line_bytes = line_bytes
        self.on_line = on_line
        self._loop = loop
        self._most = most_connections
        self._connections: list[Connection] = []
        try:
            os.unlink(path)
        except FileNotFoundError:
            pass
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.setblocking(False)
        self._listener.bind(path)
        os.chmod(path, mode)
        self._listener.listen(64)
        loop.watch(self._listener, self._accept)

    def _accept(self) -> None:
        try:
            sock = move_up(self._listener.accept()[0])
        except BlockingIOError:
            return
        sock.setblocking(False)
        if len(self._connections) >= self._most:
            # The oldest goes: nobody can lock others out by holding connections.
            self._connections[0].close()
        connection = Connection(self, sock)
        self._connections.append(connection)
        self._loop.watch(sock, connection.readable)

    def forget(self, connection: Connection) -> None:
        if connection in self._connections:
            self._connections.remove(connection)
            self._loop.unwatch(connection.sock)
