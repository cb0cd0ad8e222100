"""Finding and ending processes, through /proc."""

from __future__ import annotations

import ctypes
import os
import signal
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass

_PR_SET_CHILD_SUBREAPER = 36
_PR_SET_NO_NEW_PRIVS = 38
_CAP_SYS_RESOURCE = 24


@dataclass(frozen=True)
class Process:
    pid: int
    parent: int
    session: int
    state: str
    # Clock ticks since boot.
    started: int


def _prctl(option: int) -> bool:
    result: int = ctypes.CDLL(None, use_errno=True).prctl(option, 1, 0, 0, 0)
    return result == 0


def adopt_orphans() -> bool:
    """Orphans become our children: the agent's processes, daemons included, are then exactly our
    descendants.
    """
    return _prctl(_PR_SET_CHILD_SUBREAPER)


def forbid_new_privileges() -> bool:
    """No setuid program gives our descendants more rights than they have."""
    return _prctl(_PR_SET_NO_NEW_PRIVS)


def set_oom_score(pid: int | str, score: int) -> bool:
    """Whom the kernel kills when memory is short: 1000 first, -999 last.

    What was set with CAP_SYS_RESOURCE nobody lowers without it.
    """
    try:
        descriptor = os.open(f"/proc/{pid}/oom_score_adj", os.O_WRONLY)
    except OSError:
        return False
    try:
        os.write(descriptor, str(score).encode())
        return True
    except OSError:
        return False
    finally:
        os.close(descriptor)


def protect_from_oom() -> bool:
    """We are the last to be killed when memory is short, and no child of ours can make itself the
    last. False: not by this alone.
    """
    with open("/proc/self/status", encoding="ascii") as file:
        capabilities = next(int(line.split()[1], 16) for line in file if line.startswith("CapEff:"))
    return bool(capabilities & 1 << _CAP_SYS_RESOURCE) and set_oom_score("self", -999)


_MOST_ANCESTORS = 200
_TICKS = os.sysconf("SC_CLK_TCK")


def now() -> int:
    """The present in the unit of Process.started."""
    return int(time.clock_gettime(time.CLOCK_BOOTTIME) * _TICKS)


def read(pid: int | str) -> Process | None:
    try:
        descriptor = os.open(f"/proc/{pid}/stat", os.O_RDONLY)
    except OSError:
        return None
    try:
        text = os.read(descriptor, 4096)
    except OSError:
        return None
    finally:
        os.close(descriptor)
    if not text:
        return None
    fields = text[text.rindex(b")") + 2 :].split()
    return Process(
        int(text.split(b" ", 1)[0]),
        int(fields[1]),
        int(fields[3]),
        fields[0].decode(),
        int(fields[19]),
    )


def all_processes() -> list[Process]:
    found = (read(name) for name in os.listdir("/proc") if name.isdigit())
    return [process for process in found if process is not None and process.state not in "ZX"]


def descendants(root: int, without: Collection[int] = ()) -> list[Process]:
    """Living descendants of `root`, without itself, and without those in `without` and theirs."""
    children: dict[int, list[Process]] = {}
    for process in all_processes():
        children.setdefault(process.parent, []).append(process)
    found: list[Process] = []
    open_ends = [root]
    while open_ends:
        for child in children.get(open_ends.pop(), []):
            if child.pid in without:
                continue
            found.append(child)
            open_ends.append(child.pid)
    return found


def descends_from(pid: int, root: int) -> bool:
    """A living process whose living ancestors lead to `root`. Orphans do not: we adopted them."""
    process = read(pid)
    # Each look is one file, however many processes there are.
    for _ in range(_MOST_ANCESTORS):
        if process is None or process.parent in (0, os.getpid()):
            return False
        if process.parent == root:
            return True
        process = read(process.parent)
    return False


def send(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        pass


_STOP_ROUNDS = 100
_KILL_ROUNDS = 40


def kill_found(find: Callable[[], list[Process]]) -> bool:
    """Kill what `find` finds. False: there were still some when we gave up.

    Stopped first, all of them: what is stopped cannot fork, so this ends even where killing one by
    one would not.
    """
    for _ in range(_STOP_ROUNDS):
        going = [process for process in find() if process.state != "T"]
        if not going:
            break
        for process in going:
            send(process.pid, signal.SIGSTOP)
    for _ in range(_KILL_ROUNDS):
        left = find()
        if not left:
            return True
        for process in left:
            send(process.pid, signal.SIGKILL)
        time.sleep(0.005)
    return not find()


def kill_all_of(uid: int) -> None:
    """Kill every process of `uid`, faster than any of them can fork. Only where that uid has no
    other processes.

    Only the effective uid is changed: with the real one the agent could signal us meanwhile.
    """
    os.seteuid(uid)
    try:
        os.kill(-1, signal.SIGKILL)
    except ProcessLookupError:
        pass
    finally:
        os.seteuid(0)
