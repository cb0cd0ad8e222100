"""What a program waits for is off its time limit: once, and bounded where the program decides."""

from __future__ import annotations

from collections.abc import Callable

from durable_shell.time_limit import OPEN_WAIT_SECONDS, TimeLimit


class _Due:
    def __init__(self, at: float, handler: Callable[[], None]) -> None:
        self.at = at
        self.handler = handler
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True


class Time:
    """Moves on at request, and calls what is due."""

    def __init__(self) -> None:
        self.now = 0.0
        self.due: list[_Due] = []
        self.ends: list[float] = []

    def after(self, seconds: float, handler: Callable[[], None]) -> _Due:
        timer = _Due(self.now + seconds, handler)
        self.due.append(timer)
        return timer

    def limit(self, seconds: float) -> TimeLimit:
        return TimeLimit(seconds, self.after, lambda: self.ends.append(self.now), lambda: self.now)

    def go_to(self, end: float) -> None:
        while self.due and min(timer.at for timer in self.due) <= end:
            timer = min(self.due, key=lambda one: one.at)
            self.due.remove(timer)
            self.now = timer.at
            if not timer.cancelled:
                timer.handler()
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
    time.go_to(10)
    limit.waited("b", 4)
    time.go_to(16.9)
    assert time.ends == []
    time.go_to(100)
    assert time.ends == [17]


def test_no_report_takes_off_more_than_has_passed() -> None:
    time = Time()
    limit = time.limit(10)
    time.go_to(2)
    limit.waited("a", 1000)
    limit.waited("b", 1000)
    time.go_to(100)
    assert time.ends == [12]


def test_it_stands_still_until_the_score_comes() -> None:
    time = Time()
    limit = time.limit(10)
    time.go_to(4)
    limit.begin_wait()
    limit.begin_wait()
    time.go_to(12)
    assert time.ends == []
    limit.end_wait()
    limit.end_wait()
    time.go_to(17.9)
    assert time.ends == []
    time.go_to(2000)
    assert 18 <= time.ends[0] < 19
    assert len(time.ends) == 1


def test_a_program_that_asks_without_end_has_twice_its_time() -> None:
    time = Time()
    limit = time.limit(10)
    for second in range(1, 100):
        time.go_to(second)
        limit.begin_wait()
        time.go_to(second + 0.99)
        limit.end_wait()
    assert len(time.ends) == 1
    assert 20 <= time.ends[0] < 22
    # One chain of timers, however often it waited.
    assert len(time.due) <= 1


def test_a_score_that_never_comes_ends_it_after_twice_its_time() -> None:
    time = Time()
    limit = time.limit(10)
    time.go_to(9.9)
    limit.begin_wait()
    time.go_to(1000)
    assert len(time.ends) == 1
    assert 20 <= time.ends[0] < 22


def test_waits_for_model_and_score_at_the_same_time_count_once() -> None:
    time = Time()
    limit = time.limit(100)
    time.go_to(10)
    limit.begin_wait()
    for second in range(11, 61):
        time.go_to(second)
        limit.waited("a", second - 10)
    limit.end_wait()
    time.go_to(1000)
    assert 150 <= time.ends[0] < 152


def test_it_ends_in_no_open_wait_that_it_hears_of() -> None:
    time = Time()
    limit = time.limit(20)
    # It waits from 19.2 to 44.2, and says so each second.
    for second in range(20, 45):
        time.go_to(second - 0.1)
        limit.waited("a", second - 0.1 - 19.2, still=True)
    limit.waited("a", 25)
    time.go_to(45)
    assert time.ends == []
    time.go_to(44.9 + OPEN_WAIT_SECONDS + 1)
    assert len(time.ends) == 1


def test_a_wait_after_the_last_second_comes_too_late() -> None:
    time = Time()
    limit = time.limit(10)
    time.go_to(10)
    limit.waited("a", 60)
    assert time.ends == [10]
