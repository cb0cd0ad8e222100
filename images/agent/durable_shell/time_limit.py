"""The time limit of a command, without what a program waits for."""

from __future__ import annotations

import time
from collections.abc import Callable

# Of waits that the supervisor sees itself.
_OWN = ""


class TimeLimit:
    def __init__(
        self,
        seconds: float,
        after: Callable[[float, Callable[[], None]], None],
        on_end: Callable[[], None],
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Calls `on_end` when `seconds` are used; `after` sets a timer."""
        self._seconds = seconds
        self._after = after
        self._on_end = on_end
        self._now = now
        self._begun = now()
        self._waited: dict[str, float] = {}
        self._waits_since: float | None = None
        after(seconds, self._check)

    def waited(self, source: str, seconds: float) -> None:
        """`seconds` in all, by this source, do not count: hearing it twice changes nothing."""
        self._waited[source] = max(seconds, self._waited.get(source, 0.0))

    def begin_wait(self) -> None:
        """No time is used until `end_wait`."""
        if self._waits_since is None:
            self._waits_since = self._now()

    def end_wait(self) -> None:
        if self._waits_since is None:
            return
        waited = self._waited.get(_OWN, 0.0) + self._now() - self._waits_since
        self._waits_since = None
        self.waited(_OWN, waited)
        self._check()

    def _check(self) -> None:
        if self._waits_since is not None:
            return
        left = self._seconds - (self._now() - self._begun - sum(self._waited.values()))
        if left > 0:
            self._after(left, self._check)
        else:
            self._on_end()
