"""What a program waits for is off its time limit, counted once however often it is heard."""

from __future__ import annotations

from collections.abc import Callable

from durable_shell.time_limit import TimeLimit


class Time:
    """Moves on at request, and calls what is due."""

    def __init__(self) -> None:
        self.now = 0.0
        self.due: list[tuple[float, Callable[[], None]]] = []
        self.ends: list[float] = []

    def after(self, seconds: float, handler: Callable[[], None]) -> None:
        self.due.append((self.now + seconds, handler))

    def limit(self, seconds: float) -> TimeLimit:
        return TimeLimit(
            seconds, self.after, lambda: self.ends.append(self.now), now=lambda: self.now
        )

    def go_to(self, end: float) -> None:
        while self.due and min(at for at, _ in self.due) <= end:
            at, handler = min(self.due, key=lambda one: one[0])
            self.due.remove((at, handler))
            self.now = at
            handler()
        self.now = end


def test_without_waits_it_ends_after_its_seconds() -> None:
    time = Time()
    time.limit(10)
    time.go_to(9.9)
    assert time.ends == []
    time.go_to(100)
    assert time.ends == [10]


def test_waits_for_the_model_lengthen_it_by_what_each_source_counts_last() -> None:
    time = Time()
    limit = time.limit(10)
    time.go_to(5)
    limit.waited("a", 3)
    limit.waited("a", 3)
    limit.waited("a", 2)
    limit.waited("b", 4)
    time.go_to(16.9)
    assert time.ends == []
    time.go_to(100)
    assert time.ends == [17]


def test_it_stands_still_until_the_answer_comes() -> None:
    time = Time()
    limit = time.limit(10)
    time.go_to(4)
    limit.begin_wait()
    limit.begin_wait()
    time.go_to(1000)
    assert time.ends == []
    limit.end_wait()
    limit.end_wait()
    time.go_to(1005.9)
    assert time.ends == []
    time.go_to(2000)
    assert time.ends == [1006]


def test_a_wait_after_the_last_second_comes_too_late() -> None:
    time = Time()
    limit = time.limit(10)
    time.go_to(10)
    limit.waited("a", 60)
    assert time.ends == [10]
