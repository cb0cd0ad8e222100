"""Time that an evaluation had: on a machine short of CPU, waiting for a turn is nobody's fault."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

from .cpu_time import container_seconds

# However busy the machine is, this many times a limit is the end.
WALL_BOUND = 4


class FairClock:
    """Counts the seconds of the processes that are to get on.

    What they use is charged in any case: who makes himself wait gains no CPU time.
    """

    def __init__(
        self,
        pids: Iterable[int | None],
        own_container: bool,
        wait_of: Callable[[int], float] | None = None,
    ) -> None:
        """`wait_of`: seconds for which a process waited for a CPU; else `run_delay`."""
        self._pids = [pid for pid in pids if pid]
        self._wait_of = wait_of or run_delay
        self._own_container = own_container
        self._last = [0.0] * len(self._pids)
        self._begun = time.monotonic()
        self._waits = self._waited_each()
        self._used = self._cpu()

    def seconds(self) -> float:
        """Charged so far."""
        wall = time.monotonic() - self._begun
        return min(wall, max(wall / WALL_BOUND, self._had(wall)))

    def starved(self, limit: float) -> bool:
        """Was the limit met for no other reason than that the machine had no time?"""
        return self._had(time.monotonic() - self._begun) < limit

    def _had(self, wall: float) -> float:
        waited = sum(now - before for now, before in zip(self._waited_each(), self._waits))
        return max(wall - waited, self._cpu() - self._used)

    def _waited_each(self) -> list[float]:
        # One that has ended tells nothing any more: what it had waited counts on.
        self._last = [max(self._wait_of(pid), last) for pid, last in zip(self._pids, self._last)]
        return self._last

    def _cpu(self) -> float:
        try:
            return (container_seconds() if self._own_container else None) or 0.0
        except (OSError, ValueError, KeyError):
            return 0.0


def run_delay(pid: int) -> float:
    """Seconds for which the process was ready to run, and did not.

    0 where the kernel does not count them, or the process has ended.
    """
    try:
        with open(f"/proc/{pid}/schedstat", encoding="ascii") as file:
            return int(file.read().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0
