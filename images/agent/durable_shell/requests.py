"""`validate` and `submit`: what the agent asks for through a socket of its own, never through text.

A request counts if it comes from a process of the running command's session. The kernel says who is calling; a daemon left
over from an earlier command is in another session.
"""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Callable

from . import limits
from .command import Command
from .event_loop import EventLoop
from .line_server import Connection, LineServer

_ANSWERS = {
    "validate": b"Validation requested: it runs as soon as this command has ended.",
    "submit": b"Submission requested: the work is handed in as soon as this command has ended.",
}
_REFUSED = b"Refused: only the command that is running now may ask for this."


class RequestChannel:
    def __init__(self, loop: EventLoop, path: str, current: Callable[[], Command | None]) -> None:
        self._current = current
        directory, name = os.path.split(path)
        back = os.open(".", os.O_RDONLY | os.O_DIRECTORY)
        try:
            # Socket addresses are short; relative ones always fit.
            os.chdir(directory)
            self._server = LineServer(loop, name, 0o666, 64, self._asked, limits.TOOL_CONNECTIONS)
        finally:
            os.fchdir(back)
            os.close(back)

    def _asked(self, connection: Connection, line: bytes) -> None:
        kind = line.decode("ascii", "replace")
        command = self._current()
        if kind not in _ANSWERS or command is None or not _calls_from(connection.sock, command.pid):
            connection.send(b"refused " + _REFUSED)
        else:
            # Handing in outranks trying out.
            if command.requested != "submit":
                command.requested = kind
            connection.send(b"ok " + _ANSWERS[command.requested])
        connection.close()


def _calls_from(sock: socket.socket, session: int | None) -> bool:
    credentials = sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    pid = struct.unpack("3i", credentials)[0]
    try:
        return session is not None and pid > 0 and os.getsid(pid) == session
    except ProcessLookupError:
        return False
