"""`validate`, `submit`, `memory`: what the agent asks for through a socket of its own, never
through text.

A request counts if it comes from a process of the running command: of its session, or a descendant
of its shell, which may have a session of its own (`setsid validate`). The kernel says who is calling.
A daemon left over from an earlier command is neither, and what began as one of this command is
refused as soon as the command has ended. A program that plays by itself opens sessions of its own;
there is no earlier command, and every process of the agent counts.
"""

from __future__ import annotations

import json
import os
import socket
import struct
import sys
from collections.abc import Callable

from . import limits, processes
from .command import Command
from .event_loop import EventLoop
from .line_server import Connection, LineServer
from .memory_records import Memory, Refused

_ANSWERS = {
    "validate": b"Validation requested: it runs as soon as this command has ended.",
    "submit": b"Submission requested: the work is handed in as soon as this command has ended.",
}
_SUBMITTED = b"ok Submission requested: the work is handed in, and the run ends."
_ONE_AT_A_TIME = b"refused Refused: a validation is under way already."
_REMEMBERED = b"Remembered."
_MEMORY = b"memory "
_UNKNOWN = b"Refused: unknown request."
_TOO_LONG = b"refused Refused: the request is too long."
_NOT_RUNNING = b"Refused: only the command that is running now may ask for this."
_NOT_WRITTEN = b"Refused: the memory could not be written down."


class RequestChannel:
    def __init__(
        self,
        loop: EventLoop,
        path: str,
        memory: Memory,
        current: Callable[[], Command | None],
        *,
        uid: int | None = None,
        on_asked: Callable[[], None] = lambda: None,
    ) -> None:
        """`on_asked`: a program that still runs waits for `asked`, or hands in its work."""
        self._memory = memory
        self._current = current
        self._uid = uid
        self._on_asked = on_asked
        self._asks = 0
        self._waits: Connection | None = None
        directory, name = os.path.split(path)
        back = os.open(".", os.O_RDONLY | os.O_DIRECTORY)
        try:
            # Socket addresses are short; relative ones always fit.
            os.chdir(directory)
            most = limits.TOOL_CONNECTIONS
            self._server = LineServer(
                loop, name, 0o666, limits.TOOL_LINE_BYTES, self._asked, most, _TOO_LONG
            )
        finally:
            os.fchdir(back)
            os.close(back)

    def _asked(self, connection: Connection, line: bytes) -> None:
        command = self._current()
        if command is None or not self._is_heard(connection, command):
            connection.send(b"refused " + _NOT_RUNNING)
        elif command.live and line in (b"validate", b"submit"):
            self._asked_live(connection, command, line.decode())
            return
        elif line.startswith(_MEMORY):
            connection.send(self._remember(command, line[len(_MEMORY) :]))
        else:
            connection.send(_request(command, line.decode("ascii", "replace")))
        connection.close()

    def _is_heard(self, connection: Connection, command: Command) -> bool:
        if command.live:
            return _caller(connection.sock)[1] == (os.getuid() if self._uid is None else self._uid)
        return _calls_from(connection.sock, command.pid)

    @property
    def asked(self) -> int | None:
        """Number of the validation that a program waits for."""
        return None if self._waits is None else self._asks

    def _asked_live(self, connection: Connection, command: Command, kind: str) -> None:
        if kind == "submit":
            command.requested = "submit"
            connection.send(_SUBMITTED)
            connection.close()
            command.stop("interrupt")
        elif self._waits is not None:
            connection.send(_ONE_AT_A_TIME)
            connection.close()
        else:
            self._asks += 1
            self._waits = connection
            command.time_limit.begin_wait()
            self._on_asked()

    def answer(self, number: int, text: str) -> None:
        """To the program that waits for it, if it still does."""
        if self._waits is None or number != self._asks:
            return
        connection, self._waits = self._waits, None
        command = self._current()
        if command is not None:
            command.time_limit.end_wait()
        connection.send(b"text " + json.dumps(text).encode())
        connection.close()

    def _remember(self, command: Command, encoded: bytes) -> bytes:
        try:
            self._memory.add(command.n, encoded)
        except Refused as refusal:
            return b"refused " + str(refusal).encode()
        except OSError as error:
            print(f"a memory could not be written: {error}", file=sys.stderr, flush=True)
            return b"refused " + _NOT_WRITTEN
        return b"ok " + _REMEMBERED


def _request(command: Command, kind: str) -> bytes:
    if kind not in _ANSWERS:
        return b"refused " + _UNKNOWN
    # Handing in outranks trying out.
    if command.requested != "submit":
        command.requested = kind
    return b"ok " + _ANSWERS[command.requested]


def _caller(sock: socket.socket) -> tuple[int, int]:
    """Process and user."""
    credentials = sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    pid, uid, _ = struct.unpack("3i", credentials)
    return pid, uid


def _calls_from(sock: socket.socket, shell: int | None) -> bool:
    pid, _ = _caller(sock)
    if shell is None or pid <= 0:
        return False
    try:
        return os.getsid(pid) == shell or processes.descends_from(pid, shell)
    except ProcessLookupError:
        return False
