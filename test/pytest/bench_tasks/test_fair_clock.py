"""Time limits on a machine that is short of CPU."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator

import pytest
from bench_tasks import fair_clock
from bench_tasks.channel import Channel
from bench_tasks.fair_clock import FairClock
from bench_tasks.rejected import PlayerFailed


@pytest.fixture
def children() -> Iterator[list[int]]:
    """Processes to be ended, and waited for."""
    pids: list[int] = []
    yield pids
    signal.setitimer(signal.ITIMER_REAL, 0)
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def ask(children: list[int], seconds: float, limit: float) -> bytes:
    """Ask a player that answers after some seconds, with patience for half a second."""
    to_player_read, to_player = os.pipe()
    from_player, from_player_write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.read(to_player_read, 1)
        time.sleep(seconds)
        os.write(from_player_write, b"!")
        os._exit(0)
    children.append(pid)
    channel = Channel({"playerPid": pid, "timeoutSeconds": limit}, from_player, to_player)
    channel.patience = 0.5
    with channel.attending(lambda: "in a move"):
        return bytes(channel.exchange(b"?", 1))


def has_time(pid: int) -> float:
    return 0.0


class Waiting:
    """Of all processes but this one: they wait for a CPU all the time."""

    def __init__(self) -> None:
        self.begun = time.monotonic()

    def __call__(self, pid: int) -> float:
        return 0.0 if pid == os.getpid() else time.monotonic() - self.begun


@pytest.mark.parametrize(
    ("limit", "message"),
    [
        (60, "The submission took longer than 0.5 s in a move"),
        (0.4, "The time limit of 0.4 s for the whole evaluation ran out in a move"),
    ],
)
def test_an_answer_is_late_by_the_time_that_the_submission_had(
    monkeypatch: pytest.MonkeyPatch, children: list[int], limit: float, message: str
) -> None:
    monkeypatch.setattr(fair_clock, "run_delay", has_time)
    with pytest.raises(PlayerFailed) as failure:
        ask(children, 3600, limit)
    assert (str(failure.value), failure.value.starved) == (message, False)


@pytest.mark.parametrize("limit", [60, 0.4])
def test_it_is_not_late_by_what_others_took_of_the_machine(
    monkeypatch: pytest.MonkeyPatch, children: list[int], limit: float
) -> None:
    monkeypatch.setattr(fair_clock, "run_delay", Waiting())
    monkeypatch.setattr(fair_clock, "WALL_BOUND", 1000)
    assert ask(children, 1.5, limit) == b"!"


def test_on_whatever_machine_four_times_the_limit_is_the_end_and_it_is_said_why(
    monkeypatch: pytest.MonkeyPatch, children: list[int]
) -> None:
    monkeypatch.setattr(fair_clock, "run_delay", Waiting())
    with pytest.raises(PlayerFailed) as failure:
        ask(children, 3600, 0.2)
    message = "The time limit of 0.2 s for the whole evaluation ran out in a move"
    assert (str(failure.value), failure.value.starved) == (message, True)


def test_the_kernel_tells_how_long_a_process_waited_for_its_turn(children: list[int]) -> None:
    cpu = min(os.sched_getaffinity(0))
    for _ in range(4):
        pid = os.fork()
        if pid == 0:
            os.sched_setaffinity(0, {cpu})
            while True:
                pass
        children.append(pid)
    clock, begun = FairClock(children[:1], False), time.monotonic()
    time.sleep(1.5)
    assert clock.seconds() < 0.6 * (time.monotonic() - begun)
