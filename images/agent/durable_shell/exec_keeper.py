"""One exec, in a process of ours of its own: the keeper, a fork of the supervisor.

It starts the program, reads its streams into files, and stays as long as anything of it lives. What
the program starts are the keeper's descendants, daemons included, so its tree is exact however
many run beside it. The supervisor says when to stop; without the supervisor it ends with all it has.
"""

from __future__ import annotations

import errno
import os
import signal
import socket
import sys
import time
import traceback
from dataclasses import dataclass
from functools import partial

from . import limits, processes
from .event_loop import EventLoop
from .exec_store import STREAMS, ExecStore
from .exec_users import User
from .settings import Settings

# From the supervisor, a word a line; others are reasons to stop.
GO, LEAVE = "go", "leave"
# To the supervisor: the outcome is written.
DONE = b"done\n"
_ENDS_AT_ONCE = ("workspace",)
_BUFFER = bytearray(256 * 1024)
_WORDS_BYTES = 64


@dataclass(frozen=True)
class ExecOrder:
    key: str
    argv: list[bytes]
    environment: dict[bytes, bytes]
    cwd: bytes
    user: User | None
    # Kept of each stream.
    output_limit: int
    stdin: int | None


class _Stream:
    """Keeps the beginning, counts the rest."""

    def __init__(self, file: int, limit: int) -> None:
        self.read_end, self.write_end = os.pipe()
        os.set_blocking(self.read_end, False)
        self.open = True
        self.total = self.kept = 0
        self.failed: OSError | None = None
        self._file: int | None = file
        self._limit = limit

    def read(self) -> bool:
        """Whether there was something."""
        try:
            size = os.readv(self.read_end, [_BUFFER])
        except BlockingIOError:
            return False
        if size == 0:
            self.open = False
            return False
        if self._file is not None:
            self.total += size
            self._keep(memoryview(_BUFFER)[: min(size, self._limit - self.kept)])
        return True

    def _keep(self, view: memoryview) -> None:
        self.kept += len(view)
        try:
            while view and self._file is not None and self.failed is None:
                view = view[os.write(self._file, view) :]
        except OSError as error:
            self.failed = error

    def finish(self) -> None:
        """What comes from now on belongs to nobody."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


def start(order: ExecOrder, settings: Settings, store: ExecStore) -> tuple[int, socket.socket]:
    """The keeper's process and the channel to it; it waits for GO. Raises OSError."""
    ours, theirs = socket.socketpair()
    # Root could end us anyway, and what is sealed cannot write to folders that it makes in `/`.
    sealed = None if order.user is not None and order.user.uid == 0 else settings.sealed
    fork = partial(_fork, order, settings, store, theirs)
    try:
        try:
            pid = fork() if sealed is None else sealed.call(fork)
        except BlockingIOError:
            # The agent's processes fill the process table.
            _make_room(settings)
            pid = fork() if sealed is None else sealed.call(fork)
    except OSError:
        ours.close()
        raise
    finally:
        theirs.close()
    if sealed is not None:
        # It cannot do that for its program there.
        processes.set_oom_score(pid, 1000)
    return pid, ours


def _fork(order: ExecOrder, settings: Settings, store: ExecStore, channel: socket.socket) -> int:
    pid = os.fork()
    if pid > 0:
        return pid
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        # The lock, sockets and pipes of the supervisor.
        _close_all_but({0, 1, 2, channel.fileno(), order.stdin})
        processes.adopt_orphans()
        if channel.recv(len(GO) + 1) == f"{GO}\n".encode():
            _Keeper(order, settings, store, channel).run_forever()
    except BaseException:
        traceback.print_exc(file=sys.stderr)
        sys.stderr.flush()
    finally:
        os._exit(1)


def _close_all_but(kept: set[int | None]) -> None:
    for name in os.listdir("/proc/self/fd"):
        if int(name) not in kept:
            try:
                os.close(int(name))
            except OSError:
                pass  # the one that listed them


def _make_room(settings: Settings) -> None:
    if settings.uid is not None and settings.uid_is_ours_alone:
        processes.kill_all_of(settings.uid)
        time.sleep(0.05)


class _Keeper:
    def __init__(
        self, order: ExecOrder, settings: Settings, store: ExecStore, channel: socket.socket
    ) -> None:
        self._settings = settings
        self._store = store
        self._order = order
        self._channel = channel
        self._loop = EventLoop()
        self._loop.when_childless = self._childless
        self._stopped_by: str | None = None
        self._status: int | None = None
        self._finished = False
        self._gone_by: float | None = None
        self._streams = [
            _Stream(store.stream(order.key, name), order.output_limit) for name in STREAMS
        ]
        self._begun = time.monotonic()
        self._ms = 0
        self._loop.on_exit(self._spawn(), self._program_ended)
        for stream in self._streams:
            os.close(stream.write_end)
            self._loop.watch(stream.read_end, partial(self._read, stream))
        self._loop.watch(channel, self._told)

    def run_forever(self) -> None:
        self._loop.run_forever()

    # -- the program

    def _spawn(self) -> int:
        user = self._order.user
        if user is not None:
            for stream in self._streams:
                # Or `> /dev/stdout`, which opens it anew, would be refused.
                os.fchown(stream.write_end, user.uid, user.gid)
        try:
            pid = os.fork()
        except BlockingIOError:
            _make_room(self._settings)
            pid = os.fork()
        if pid == 0:
            self._become_program()
        return pid

    def _become_program(self) -> None:
        order, doing = self._order, "this program cannot be started"
        try:
            os.setsid()
            for ignored in (signal.SIGPIPE, signal.SIGXFSZ):
                signal.signal(ignored, signal.SIG_DFL)
            processes.set_oom_score("self", 1000)
            stdin = os.open("/dev/null", os.O_RDONLY) if order.stdin is None else order.stdin
            ends = (stdin, *(stream.write_end for stream in self._streams))
            for number, end in enumerate(ends):
                os.dup2(end, number)
            _close_all_but({0, 1, 2})
            os.umask(0o022)
            if order.user is not None:
                os.setgroups(order.user.groups)
                os.setresgid(order.user.gid, order.user.gid, order.user.gid)
                os.setresuid(order.user.uid, order.user.uid, order.user.uid)
            # As the user: a directory that root may enter is not one that the user may.
            doing = f"the directory {os.fsdecode(order.cwd)} cannot be entered"
            os.chdir(order.cwd)
            doing = f"{os.fsdecode(order.argv[0])} cannot be run"
            os.execvpe(order.argv[0], order.argv, order.environment)
        except OSError as error:
            os.write(2, f"exec: {doing}: {error.strerror}\n".encode("utf-8", "surrogateescape"))
            missing = doing.endswith("be run") and error.errno in (errno.ENOENT, errno.ENOTDIR)
            os._exit(127 if missing else 126)
        finally:
            os._exit(126)

    def _read(self, stream: _Stream) -> None:
        stream.read()
        if stream.open:
            return
        self._loop.unwatch(stream.read_end)
        os.close(stream.read_end)
        if self._status is not None and self._stopped_by is None:
            self._end_if_silent()

    # -- stopping

    def _told(self) -> None:
        try:
            words = self._channel.recv(_WORDS_BYTES).decode().split()
        except ConnectionError:
            words = []
        if not words:
            # The supervisor is gone, and nobody else knows of us.
            self._kill_tree()
            os._exit(1)
        if LEAVE in words:
            os._exit(0)
        for reason in words:
            self._stop(reason)

    def _stop(self, reason: str) -> None:
        if self._status is None and self._stopped_by is None:
            self._stopped_by = reason
        if reason in _ENDS_AT_ONCE:
            self._kill_tree()
            return
        for process in self._tree():
            processes.send(process.pid, signal.SIGTERM)
        self._loop.after(limits.TIMEOUT_SIGNALS[-1][1], self._kill_tree)

    def _tree(self) -> list[processes.Process]:
        return processes.descendants(os.getpid())

    def _kill_tree(self) -> None:
        if not processes.kill_found(self._tree):
            # Something forks faster than it can be counted.
            _make_room(self._settings)

    # -- end

    def _program_ended(self, status: int) -> None:
        self._ms = round((time.monotonic() - self._begun) * 1000)
        self._status = status
        if self._stopped_by is not None:
            self._until_tree_is_gone()
            return
        self._read_what_is_left()
        self._end_if_silent()
        # Held open by what runs on in the background.
        self._loop.after(limits.DRAIN_SECONDS, self._end)

    def _until_tree_is_gone(self) -> None:
        self._gone_by = self._gone_by or time.monotonic() + limits.GONE_SECONDS
        if self._tree() and time.monotonic() < self._gone_by:
            self._loop.after(0.05, self._until_tree_is_gone)
        else:
            self._read_what_is_left()
            self._end()

    def _read_what_is_left(self) -> None:
        """What the pipes held when the program ended; bounded, since others may still be writing."""
        for stream in self._streams:
            for _ in range(64):
                if not stream.open or not stream.read():
                    break

    def _end_if_silent(self) -> None:
        if not any(stream.open for stream in self._streams):
            self._end()

    def _end(self) -> None:
        if self._finished:
            return
        self._finished = True
        for stream in self._streams:
            stream.finish()
        self._write_down()

    def _write_down(self) -> None:
        try:
            self._store.finish(self._order.key, self._outcome())
        except OSError as error:
            print(f"exec {self._order.key}: trying again: {error}", file=sys.stderr, flush=True)
            self._loop.after(1.0, self._write_down)
            return
        try:
            self._channel.sendall(DONE)
        except OSError:
            pass
        self._leave_if_childless()

    def _outcome(self) -> dict[str, object]:
        status = self._status if self._status is not None else 0
        failed = next((s.failed for s in self._streams if s.failed is not None), None)
        if failed is not None:
            return {"lost": True, "why": f"its output could not be written: {failed.strerror}"}
        signalled = os.WTERMSIG(status) if os.WIFSIGNALED(status) else None
        stdout, stderr = self._streams
        return {
            "exitCode": os.WEXITSTATUS(status) if signalled is None else 128 + signalled,
            "signal": None if signalled is None else _signal_name(signalled),
            "stoppedBy": self._stopped_by,
            "stdoutBytes": stdout.total,
            "stderrBytes": stderr.total,
            "ms": self._ms,
        }

    def _childless(self) -> None:
        if self._finished and self._store.finished(self._order.key):
            os._exit(0)

    def _leave_if_childless(self) -> None:
        try:
            os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            self._childless()


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"SIG{number}"
