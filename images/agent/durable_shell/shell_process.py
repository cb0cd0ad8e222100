"""Forks the bash of one command and drops it to the agent's user."""

from __future__ import annotations

import fcntl
import os
import resource
import signal
from dataclasses import dataclass

from . import carried_state
from .carried_state import CarriedState
from .settings import Settings

_PIPE_BYTES = 1024 * 1024
_F_SETPIPE_SZ = 1031
_OPEN_FILES = 65_536


@dataclass
class ShellProcess:
    pid: int
    # Read ends, non-blocking.
    output: int
    state: int


def spawn(settings: Settings, script: str, carried: CarriedState | None) -> ShellProcess:
    """Raises OSError when no process can be made. The child reports on the state pipe; see carried_state."""
    opened: list[int] = []
    try:
        output_read, output_write = _pipe(opened)
        state_read, state_write = _pipe(opened)
        texts = {
            carried_state.COMMAND_FD: carried_state.command_text(script, carried),
            carried_state.PRELUDE_FD: carried_state.prelude(carried),
            carried_state.EPILOGUE_FD: carried_state.EPILOGUE,
        }
        if carried is not None:
            texts[carried_state.RESTORE_FD] = carried.restore
        inherited = {number: _memory_file(text, opened) for number, text in texts.items()}
        null = os.open("/dev/null", os.O_RDONLY)
        opened.append(null)
        inherited |= {0: null, 1: output_write, 2: output_write, carried_state.STATE_FD: state_write}
        pid = os.fork()
        if pid == 0:
            _become_shell(settings, carried, inherited)
        opened.remove(output_read)
        opened.remove(state_read)
        os.set_blocking(output_read, False)
        os.set_blocking(state_read, False)
        return ShellProcess(pid, output_read, state_read)
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


def _memory_file(content: bytes, opened: list[int]) -> int:
    descriptor = os.memfd_create("bench")
    opened.append(descriptor)
    view = memoryview(content)
    while view:
        view = view[os.write(descriptor, view) :]
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _become_shell(settings: Settings, carried: CarriedState | None, inherited: dict[int, int]) -> None:
    try:
        os.setsid()
        _first_to_go_when_memory_is_short()
        # Python ignores these; the agent's programs expect them.
        for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        _limit_resources()
        for number, descriptor in inherited.items():
            os.dup2(descriptor, number)
        if settings.uid is not None and settings.most_processes is not None:
            resource.setrlimit(resource.RLIMIT_NPROC, (settings.most_processes, settings.most_processes))
        if settings.uid is not None:
            os.setgroups([])
            os.setresgid(settings.uid, settings.uid, settings.uid)
            os.setresuid(settings.uid, settings.uid, settings.uid)
        os.umask(carried.umask if carried is not None else 0o022)
        directory = _enter(carried.working_dir if carried is not None else settings.workspace, settings)
        environment = dict(settings.environment) if carried is None else {}
        environment["PWD"] = directory
        os.execve(settings.bash, ["bash", "-c", carried_state.SHELL_TEXT, "bash"], environment)
    except BaseException as error:  # noqa: BLE001 - nothing of the supervisor may go on in the child
        try:
            os.write(2, f"bench: the shell could not be started: {error}\n".encode())
        finally:
            os._exit(126)


def _limit_resources() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # Here and not by the engine, which fails where the host allows less.
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    most = _OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, _OPEN_FILES)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _first_to_go_when_memory_is_short() -> None:
    try:
        with open("/proc/self/oom_score_adj", "wb", buffering=0) as file:
            file.write(b"1000")
    except OSError:
        pass


def _enter(wanted: str, settings: Settings) -> str:
    for directory in (wanted, settings.workspace, *settings.fallback_dirs, "/"):
        try:
            os.chdir(directory)
        except OSError:
            continue
        if directory is not wanted:
            os.write(carried_state.STATE_FD, carried_state.MOVED + b"\0")
        return directory
    return "/"
