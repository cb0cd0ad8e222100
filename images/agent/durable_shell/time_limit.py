"""The time limit of a command, without what a program waits for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol


class _Timer(Protocol):
    def cancel(self) -> None: ...


# Longer than between two reports of a wait.
OPEN_WAIT_SECONDS = 5.0


class TimeLimit:
    """A clock that stands still while the program waits for a score, at most for as long again as
    the limit, and for its model, as it is heard from outside. Time counts once.
    """

    def __init__(
        self,
        seconds: float,
        after: Callable[[float, Callable[[], None]], _Timer],
        on_end: Callable[[], None],
        now: Callable[[], float],
    ) -> None:
        """Calls `on_end` when `seconds` are used; `after` sets a timer by the clock `now`."""
        self._seconds = seconds
        self._after = after
        self._on_end = on_end
        self._now = now
        self._begun = now()
        self._scored = 0.0
        self._waits_since: float | None = None
        self._modelled = 0.0
        self._heard: dict[str, float] = {}
        # At the last report: the time, and the waits for scores until then.
        self._reported = (self._begun, 0.0)
        self._open_until = 0.0
        self._timer = after(seconds, self._check)

    def cancel(self) -> None:
        self._timer.cancel()

    def waited(self, source: str, seconds: float, *, still: bool = False) -> None:
        """`seconds` in all, by this source: hearing it twice changes nothing. `still`: it waits."""
        now, scored = self._now(), self._waits_for_scores()
        gain = seconds - self._heard.get(source, 0.0)
        if gain > 0:
            self._heard[source] = seconds
            before, scored_before = self._reported
            self._modelled += min(gain, max(0.0, now - before - (scored - scored_before)))
            self._reported = (now, scored)
        if still:
            self._open_until = now + OPEN_WAIT_SECONDS

    def begin_wait(self) -> None:
        """For a score: no time is used until `end_wait`."""
        if self._waits_since is None:
            self._waits_since = self._now()

    def end_wait(self) -> None:
        self._scored = self._waits_for_scores()
        self._waits_since = None

    def _waits_for_scores(self) -> float:
        now = self._now()
        since = now if self._waits_since is None else self._waits_since
        # A program that asks without end works meanwhile.
        return min(self._scored + now - since, self._seconds)

    def _check(self) -> None:
        now = self._now()
        left = self._seconds - (now - self._begun - self._waits_for_scores() - self._modelled)
        if left <= 0:
            left = self._open_until - now
        elif self._waits_since is not None:
            left = max(left, 1.0)
        if left > 0:
            self._timer = self._after(left, self._check)
        else:
            self._on_end()
