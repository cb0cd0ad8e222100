"""Processes that the kernel killed because the sandbox reached its memory limit."""

from __future__ import annotations

from collections.abc import Iterable

# What the container sees of its own control group: of version 2, or of version 1.
COUNTERS = ("/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control")


def kills_in(text: str) -> int | None:
    """Both versions have a line `oom_kill 3`; kernels before 4.13 lack it."""
    for line in text.splitlines():
        name, _, value = line.partition(" ")
        if name == "oom_kill" and value.strip().isdigit():
            return int(value)
    return None


class MemoryKills:
    """Counts from the container's start, so that a kill between two commands belongs to the second."""

    def __init__(self, counters: Iterable[str] = COUNTERS) -> None:
        self._counters = tuple(counters)
        self._seen = self._count()

    def _count(self) -> int:
        for path in self._counters:
            try:
                with open(path, encoding="ascii", errors="replace") as counter:
                    found = kills_in(counter.read(64 * 1024))
            except OSError:
                continue
            if found is not None:
                return found
        return 0

    def since_last(self) -> int:
        """How many there were since the last question."""
        now = self._count()
        # A counter that can be read no more, or began again, tells of none.
        new, self._seen = max(0, now - self._seen), now
        return new
