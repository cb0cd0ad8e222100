"""CPU time of a whole evaluation: of init, referee, submission, and all that these started.

What else the machine does is not in it.
"""

from __future__ import annotations

import os

# Of proc(5): fields of /proc/<pid>/stat after the name. Times: the process's own in user and kernel
# mode, and those of children that were waited for.
PARENT, TIMES = 1, slice(11, 15)


def container_seconds() -> float | None:
    """What this container's control group counts, which no process can escape.

    None where it is not certain. Raises OSError, ValueError or KeyError.
    """
    for line in _lines("/proc/self/mountinfo"):
        fields, _, kind = line.partition(" - ")
        root, point = fields.split()[3:5]
        if kind.startswith("cgroup2 "):
            found = _group_file(root, point, "", "cpu.stat")
            # The root of all groups has no type, and counts the whole machine.
            if found and os.path.exists(os.path.join(os.path.dirname(found), "cgroup.type")):
                counts = dict(pair.split() for pair in _lines(found))
                return int(counts["usage_usec"]) / 1e6
        elif kind.startswith("cgroup ") and "cpuacct" in kind.split()[-1].split(","):
            found = _group_file(root, point, "cpuacct", "cpuacct.usage")
            if found:
                return int(_lines(found)[0]) / 1e9
    return None


def _group_file(root: str, point: str, controller: str, name: str) -> str | None:
    """Of our own group below a mount that shows the groups from `root` on."""
    for line in _lines("/proc/self/cgroup"):
        _, controllers, group = line.split(":", 2)
        if controller not in controllers.split(",") or (controller and group == "/"):
            continue
        below = os.path.relpath(group, root)
        path = os.path.normpath(os.path.join(point, below, name))
        if not below.startswith("..") and os.path.exists(path):
            return path
    return None


def processes_seconds(init: int) -> float:
    """Of process `init` and all below it; it adopts orphans.

    Left out is who ended unwaited for, as children of a parent that ignores their end.
    """
    parents: dict[int, int] = {}
    ticks: dict[int, int] = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            stat = _lines(f"/proc/{name}/stat")[0].rpartition(")")[2].split()
        except (OSError, IndexError):  # it has ended
            continue
        parents[int(name)], ticks[int(name)] = int(stat[PARENT]), sum(map(int, stat[TIMES]))

    def ours(pid: int) -> bool:
        while pid != init and pid in parents:
            pid = parents[pid]
        return pid == init

    return sum(count for pid, count in ticks.items() if ours(pid)) / os.sysconf("SC_CLK_TCK")


def _lines(path: str) -> list[str]:
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read().splitlines()
