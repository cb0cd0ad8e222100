"""Corpus BLEU-4."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from bench_tasks.bleu import corpus_bleu

REPOSITORY = Path(__file__).parents[3]


def test_is_what_it_is_by_hand() -> None:
    # Precisions 5/6, 3/5, 2/4, 1/3; seven words were wanted, six are there.
    found = corpus_bleu(["a man rides a brown dog"], [["a man rides a brown horse today"]])
    precision = (5 / 6) * (4 / 5) * (3 / 4) * (2 / 3)
    assert found == pytest.approx(math.exp(1 - 7 / 6) * precision**0.25, abs=1e-12)


def test_is_what_nltk_3_10_finds_with_several_references_and_clipped_counts() -> None:
    captions = [
        "A man is riding a brown horse on the beach.",
        "Two dogs are asleep, the the the dogs!",
        "a cat sits on a red mat near the door of the neighbour's house",
    ]
    references = [
        [
            "A man rides a brown horse on the beach",
            "The man is riding a brown horse along the sand",
            "someone on a horse",
        ],
        ["two dogs asleep on a sofa", "Two dogs are asleep on the rug", "the dogs sleep"],
        [
            "a cat on a red mat near the door",
            "the cat sits on a red rug near the door",
            "cat",
        ],
    ]
    assert corpus_bleu(captions, references) == pytest.approx(0.6804599217558919, abs=1e-12)


@pytest.mark.parametrize(
    ("captions", "references", "expected"),
    [
        pytest.param(["Two dogs ran home."], [["two dogs ran home", "no"]], 1, id="same words"),
        pytest.param(["a b c x d e f"], [["a b c y d e f"]], 0, id="four right words nowhere"),
        pytest.param(["..."], [["a cat sat here"]], 0, id="no words"),
        pytest.param(["a cat", "a dog"], [["a cat"], ["a dog"]], 0, id="captions too short"),
    ],
)
def test_has_no_smoothing(
    captions: list[str], references: list[list[str]], expected: float
) -> None:
    assert corpus_bleu(captions, references) == pytest.approx(expected, abs=1e-12)


def test_refuses_captions_without_references() -> None:
    with pytest.raises(ValueError, match="2 captions, but references for 1"):
        corpus_bleu(["a", "b"], [["a"]])


def test_is_the_definition_that_agents_are_given() -> None:
    starter = REPOSITORY / "configs/tasks/imageCaptioningCOCO/starter/bleu.py"
    ours = REPOSITORY / "images/evaluator/bench_tasks/bleu.py"
    assert starter.read_text("utf-8") == ours.read_text("utf-8")
