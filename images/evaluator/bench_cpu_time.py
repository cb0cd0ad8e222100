"""CPU time of a whole evaluation: of init, referee, submission, and all that these started. What else the machine does is not in it."""

import os

# Of proc(5): fields of /proc/<pid>/stat after the name.
PARENT, TIMES = 1, slice(11, 15)  # times: own in user and kernel mode, and those of children that were waited for


def container_seconds():
    """What this container's control group counts, which no process can escape; None where it cannot be told for certain."""
    for line in lines("/proc/self/mountinfo"):
        fields, _, kind = line.partition(" - ")
        root, point = fields.split()[3:5]
        if kind.startswith("cgroup2 "):
            found = group_file(root, point, "", "cpu.stat")
            # The root of all groups has no type, and counts the whole machine.
            if found and os.path.exists(os.path.join(os.path.dirname(found), "cgroup.type")):
                return int(dict(pair.split() for pair in lines(found))["usage_usec"]) / 1e6
        elif kind.startswith("cgroup ") and "cpuacct" in kind.split()[-1].split(","):
            found = group_file(root, point, "cpuacct", "cpuacct.usage")
            if found:
                return int(lines(found)[0]) / 1e9
    return None


def group_file(root, point, controller, name):
    """Of our own group below a mount that shows the groups from `root` on."""
    for line in lines("/proc/self/cgroup"):
        _, controllers, group = line.split(":", 2)
        if controller not in controllers.split(",") or (controller and group == "/"):
            continue
        below = os.path.relpath(group, root)
        path = os.path.normpath(os.path.join(point, below, name))
        if not below.startswith("..") and os.path.exists(path):
            return path
    return None


def processes_seconds(init):
    """Of `init` and all below it; it adopts orphans. Left out is who ended unwaited for, as children of a parent that ignores their end."""
    parents, ticks = {}, {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            stat = lines("/proc/%s/stat" % name)[0].rpartition(")")[2].split()
        except (OSError, IndexError):  # it has ended
            continue
        parents[int(name)], ticks[int(name)] = int(stat[PARENT]), sum(map(int, stat[TIMES]))

    def ours(pid):
        while pid != init and pid in parents:
            pid = parents[pid]
        return pid == init

    return sum(count for pid, count in ticks.items() if ours(pid)) / os.sysconf("SC_CLK_TCK")


def lines(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read().splitlines()
