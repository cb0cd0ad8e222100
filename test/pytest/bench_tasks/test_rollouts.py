"""Episodes of a policy."""

from __future__ import annotations

import math
import random
from typing import Any, cast

import pytest
from bench_tasks.hidden_random import HiddenRandom
from bench_tasks.questions import Player
from bench_tasks.rollouts import deviation, mean, play_checkpoints, real_numbers, whole_numbers


class Counting:
    """Pays each action; ends after a number of steps that chance gives."""

    def __init__(self, rng: random.Random) -> None:
        self.left = 1 + int(rng.random() * 4)

    def observation(self) -> bytes:
        return bytes((self.left,))

    def step(self, action: int) -> tuple[float, bool]:
        assert self.left > 0
        self.left -= 1
        return action, self.left == 0


class Recorder:
    """A player that answers with the checkpoint's number, counted from 1."""

    def __init__(self) -> None:
        self.rng, self.context = HiddenRandom("07"), ""
        self.asked: list[Any] = []
        self.renewed: list[int] = []

    def renew(self) -> None:
        self.renewed.append(len(self.asked))

    def ask(self, *question: Any, seconds: float, max_bytes: int) -> list[int]:
        self.asked.append([question[0], list(question[1]), question[2], self.context])
        return [question[0] + 1] * len(question[1])


class Answering:
    """A player that always gives the same answer."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def ask(self, *question: Any, **limits: Any) -> Any:
        return self.answer

    def ask_floats(self, number: int, *question: Any, seconds: float) -> Any:
        return self.answer

    def invalid(self, problem: str) -> Exception:
        return ValueError(problem)


def play(player: Recorder, checkpoints: int, horizon: int) -> list[float]:
    return play_checkpoints(
        cast(Player, player),
        Counting,
        whole_numbers(9),
        checkpoints=checkpoints,
        episodes=5,
        horizon=horizon,
    )


def test_are_of_their_own_for_every_checkpoint_count_up_to_their_ends_and_stay_in_place() -> None:
    player = Recorder()
    returns = play(player, checkpoints=2, horizon=3)
    # Three steps each, and a new process before each checkpoint's first.
    assert player.renewed == [0, 3]
    beginnings = [player.asked[0][1], player.asked[3][1]]
    assert beginnings[0] != beginnings[1]
    assert all(len(set(first)) > 1 for first in beginnings)
    assert player.asked == [
        [
            checkpoint,
            [max(0, left - step) for left in first],
            step == 0,
            f"checkpoint {checkpoint}, step {step}",
        ]
        for checkpoint, first in enumerate(beginnings)
        for step in range(3)
    ]
    assert returns == [
        (checkpoint + 1) * min(left, 3)
        for checkpoint, first in enumerate(beginnings)
        for left in first
    ]


def test_are_not_asked_for_when_all_have_ended() -> None:
    player = Recorder()
    play(player, checkpoints=1, horizon=50)
    assert len(player.asked) == 4


def test_take_real_numbers_only_if_they_are_finite() -> None:
    def ask(answer: list[float]) -> Any:
        return real_numbers(cast(Player, Answering(answer)), 2, (0, b"", True), 1)

    assert ask([0.5, -7.0]) == [0.5, -7]
    for wrong in ("nan", "inf", "-inf"):
        with pytest.raises(ValueError, match=r"^an action is not a finite number$"):
            ask([0.5, float(wrong)])


def test_are_told_of_by_mean_and_deviation() -> None:
    assert mean([1, 2, 6]) == 3
    assert deviation([1, 2, 6]) == pytest.approx(math.sqrt(14 / 3), abs=1e-12)


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ([0, 1], "^expected a list of 3 actions, one for each episode; got 2$"),
        ([0, 1, 4], "expected whole numbers from 0 to 3"),
        ([0, 1, -1], "expected whole numbers from 0 to 3"),
        ([0, 1, 1.0], "expected whole numbers from 0 to 3"),
        ([0, 1, True], "expected whole numbers from 0 to 3"),
        ([0, 1, None], "expected whole numbers from 0 to 3"),
        ({"a": 1}, "got no list"),
    ],
)
def test_take_whole_numbers_only_from_the_given_ones(answer: Any, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        whole_numbers(4)(cast(Player, Answering(answer)), 3, (0, b"", True), 1)
