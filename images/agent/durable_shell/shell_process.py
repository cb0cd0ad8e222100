"""Forks the bash of one command and drops it to the agent's user; the command itself is handed over
when it comes.
"""

from __future__ import annotations

import fcntl
import functools
import os
import resource
import subprocess
from dataclasses import dataclass

from . import carried_state, processes
from .carried_state import CarriedState
from .settings import Settings

_PIPE_BYTES = 1024 * 1024
_F_SETPIPE_SZ = 1031
_OPEN_FILES = 65_536
_CHUNK = 1024 * 1024
_SMALLEST_FILE_LIMIT = 64 * 1024 * 1024


@dataclass
class ShellProcess:
    pid: int
    # Read end, non-blocking.
    output: int
    # A file: how far the shell has come, and at last its state.
    state: int
    # Clock ticks since boot.
    started: int
    carried: CarriedState | None
    # What it waits for: a file for the command's text, and the line that says that it is there.
    command: int
    go: int

    def hand_over(self, script: str) -> None:
        """Once. The shell may be gone by now; then it never reports ready."""
        try:
            text = carried_state.command_text(script, self.carried)
            done = 0
            while done < len(text):
                # Leaves the position alone, which the shell shares.
                done += os.pwrite(self.command, text[done : done + _CHUNK], done)
            os.write(self.go, b"\n")
        except BrokenPipeError:
            pass
        finally:
            os.close(self.command)
            os.close(self.go)

    def waits(self) -> bool:
        """It has restored its state and said so."""
        return carried_state.WAITING in os.pread(self.state, 64, 0)

    def abandon(self) -> None:
        """Instead of a hand-over. The shell ends by itself, if it still runs."""
        for descriptor in (self.command, self.go, self.output, self.state):
            os.close(descriptor)


def limit_resources(settings: Settings) -> None:
    """Limits of the supervisor that its shells inherit: setting them in each child would cost more
    than the fork.
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    most = _OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, _OPEN_FILES)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    if settings.workspace_bytes is not None:
        # Also the supervisor's own limit, which writes outcomes.
        most = max(settings.workspace_bytes, _SMALLEST_FILE_LIMIT)
        hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    if settings.uid is not None and settings.most_processes is not None:
        # Counted per user, and root is exempt.
        resource.setrlimit(
            resource.RLIMIT_NPROC, (settings.most_processes, settings.most_processes)
        )


def spawn(settings: Settings, carried: CarriedState | None) -> ShellProcess:
    """Raises OSError when no process can be made. The child reports in the state file; see
    carried_state.

    Nothing of Python runs in the child: every page that it touched would be copied first. It
    changes to its directory only as the agent, in carried_state's prelude: a directory that root
    may enter is not one that the agent may.
    """
    opened: list[int] = []
    try:
        output_read, output_write = _pipe(opened)
        if settings.uid is not None:
            # Or `> /dev/stdout`, which opens it anew, would be refused.
            os.fchown(output_write, settings.uid, settings.uid)
        state = os.memfd_create("bench")
        opened.append(state)
        # For writing too: bash gives an empty here-document as a read-only one, and the agent's
        # `edit` tells the two apart.
        null = os.open("/dev/null", os.O_RDWR)
        opened.append(null)
        _bequeath(state, carried_state.STATE_FD, opened)
        command = os.memfd_create("bench")
        opened.append(command)
        _bequeath(command, carried_state.COMMAND_FD, opened)
        go_read, go_write = os.pipe()
        opened.extend((go_read, go_write))
        _bequeath(go_read, carried_state.GO_FD, opened)
        _bequeath_text(carried_state.prelude(settings, carried), carried_state.PRELUDE_FD, opened)
        _bequeath_text(carried_state.EPILOGUE, carried_state.EPILOGUE_FD, opened)
        if carried is not None:
            _bequeath_text(carried.restore, carried_state.RESTORE_FD, opened)
        # Only root may change users and groups.
        user = (
            {}
            if settings.uid is None
            else {"user": settings.uid, "group": settings.uid, "extra_groups": []}
        )
        start = functools.partial(
            subprocess.Popen,
            ["bash", "-c", carried_state.SHELL_TEXT, "bash"],
            executable=settings.bash,
            stdin=null,
            stdout=output_write,
            stderr=output_write,
            # With a PWD, so that it is an exported variable from the first shell on.
            env={**settings.environment, "PWD": "/"} if carried is None else {},
            cwd="/",
            umask=carried.umask if carried is not None else 0o022,
            start_new_session=True,
            close_fds=False,
            **user,
        )
        shell = start() if settings.sealed is None else settings.sealed.call(start)
        # The event loop reaps it.
        shell.returncode = 0
        # First to go when memory is short.
        processes.set_oom_score(shell.pid, 1000)
        os.set_blocking(output_read, False)
        record = processes.read(shell.pid)
        started = record.started if record is not None else 0
        for kept in (output_read, state, command, go_write):
            opened.remove(kept)
        return ShellProcess(shell.pid, output_read, state, started, carried, command, go_write)
    finally:
        for descriptor in opened:
            os.close(descriptor)


def _pipe(opened: list[int]) -> tuple[int, int]:
    ends = os.pipe()
    opened.extend(ends)
    try:
        fcntl.fcntl(ends[1], _F_SETPIPE_SZ, _PIPE_BYTES)
    except OSError:
        pass  # a smaller pipe is only slower
    return ends


def _bequeath(descriptor: int, number: int, opened: list[int]) -> None:
    os.dup2(descriptor, number)
    opened.append(number)


def _bequeath_text(content: bytes, number: int, opened: list[int]) -> None:
    """The child finds `content` as a file that nobody else can open."""
    descriptor = os.memfd_create("bench")
    try:
        view = memoryview(content)
        while view:
            view = view[os.write(descriptor, view) :]
        os.lseek(descriptor, 0, os.SEEK_SET)
        _bequeath(descriptor, number, opened)
    finally:
        os.close(descriptor)
