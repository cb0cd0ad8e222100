"""The loss of a language model."""

from __future__ import annotations

import math
from array import array
from typing import Any, cast

import pytest
from bench_tasks.language_model import loss_per_token, row_losses
from bench_tasks.questions import Player


def test_asks_for_each_token_once_and_leaves_out_what_shorter_documents_lack() -> None:
    asked: list[Any] = []

    class Successor:
        """Sure that a token is followed by the next one; of token 0, it knows nothing."""

        context = ""

        def ask_floats(
            self, count: int, tokens: list[int], new: bool, seconds: float
        ) -> array[float]:
            asked.append([tokens, new])
            rows = [
                [0.0 if token == 0 else 5.0 * (other == token + 1) for other in range(5)]
                for token in tokens
            ]
            return array("f", [value for row in rows for value in row])

    documents = [[1, 2], [3], [2, 3, 4], [0, 1]]
    loss = loss_per_token(cast(Player, Successor()), documents, 5, streams=2)
    assert asked == [[[2, 1], True], [[3, 2], False], [[0], True]]
    right = math.log(math.exp(5) + 4) - 5
    assert loss == pytest.approx((3 * right + math.log(5)) / 4, abs=1e-12)


def test_is_one_distribution_whatever_size_the_logits_have() -> None:
    rows = [[0.0] * 4, [3e38] * 4, [-3e38] * 4, [1e4, 0, 0, 0], [3e38, -3e38, 0, 0]]
    flat = [row_losses(array("f", row), 4, [token])[0] for row in rows for token in (0, 1)]
    assert flat[:6] == pytest.approx([math.log(4)] * 6, abs=1e-12)
    assert flat[6:9] == [0, 1e4, 0]
    assert flat[9] > 5.9e38


@pytest.mark.parametrize("value", ["nan", "inf", "-inf"])
def test_refuses(value: str) -> None:
    with pytest.raises(ValueError, match=r"^a logit is not a finite number$"):
        row_losses(array("f", [0, float(value), 0]), 3, [0])


@pytest.mark.parametrize(
    ("documents", "reason"),
    [
        ([[7, 1]], "a token is outside the vocabulary of 5"),
        ([[1]], "there is no document of two tokens or more"),
    ],
)
def test_tells_the_author_about_documents_like(documents: list[list[int]], reason: str) -> None:
    with pytest.raises(ValueError, match=f"^{reason}$"):
        loss_per_token(cast(Player, None), documents, 5)
