"""Hidden randomness, and games over a channel."""

from __future__ import annotations

import json
import os
import random
import signal
import threading
from collections.abc import Iterator

import pytest
from bench_tasks.games import Choices, Table
from bench_tasks.hidden_random import HiddenRandom


@pytest.fixture(autouse=True)
def without_alarms() -> Iterator[None]:
    """The channel's clock goes on for as long as its process."""
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)


def test_draws_the_same_hidden_numbers_for_the_same_seed_evenly_spread() -> None:
    def draw(seed: str) -> list[float]:
        return [HiddenRandom(seed).random(), HiddenRandom(seed).getrandbits(100)]

    rng = HiddenRandom("07")
    values = [rng.random() for _ in range(100_000)]
    dice = [rng.randrange(6) for _ in range(60_000)]
    assert draw("01") == draw("01")
    assert draw("01") != draw("02")
    assert abs(sum(values) / len(values) - 0.5) < 4 * 0.00091
    assert all(0 <= value < 1 for value in values)
    assert min(dice.count(side) for side in range(6)) > 9600
    assert sorted(set(dice)) == [0, 1, 2, 3, 4, 5]
    assert sorted(rng.sample(range(10), 10)) == list(range(10))


def test_asks_for_one_move_per_round_and_shows_the_opponent_after_the_round() -> None:
    question_read, question_write = os.pipe()
    answer_read, answer_write = os.pipe()
    asked: list[object] = []

    def player() -> None:
        length = int.from_bytes(os.read(question_read, 4), "big")
        asked.append(sorted(json.loads(os.read(question_read, length))))
        os.write(answer_write, b"\x01")
        for move in (0, 1, 1, 0):
            asked.append(os.read(question_read, 1)[0])
            os.write(answer_write, bytes((move,)))

    seen: list[list[tuple[int, int]]] = []

    def opponent(history: list[tuple[int, int]], rng: random.Random) -> int:
        seen.append(list(history))
        return 1

    thread = threading.Thread(target=player)
    thread.start()
    table = Table(
        {
            "seed": "01",
            "playerSeed": "02",
            "module": "m",
            "function": "f",
            "timeoutSeconds": 100,
        },
        answer_read,
        question_write,
    )
    score = table.play_games(
        moves=Choices(2),
        rounds=2,
        games=2,
        opponent=opponent,
        payoff=lambda own, other: own + other,
    )
    thread.join()
    order = ["count", "function", "high", "low", "module", "seed", "wire"]
    assert asked == [order, 255, 1, 255, 1]
    assert seen == [[], [(0, 1)], [], [(1, 1)]]
    assert score == 1.5
