"""Corpus BLEU-4 of captions against several references each (Papineni et al., 2002).

Words are runs of letters and digits, with an apostrophe inside, of the lower-cased text. N-grams
are counted over the whole corpus, clipped for each caption by the reference that has most of them.
The brevity penalty takes of each caption's references the length that is nearest to its own, of two
equally near ones the shorter. There is no smoothing: where no four words in a row are right in the
whole corpus, BLEU is 0.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
LONGEST = 4


def words(text: str) -> list[str]:
    """The words that are compared."""
    return WORD.findall(text.lower())


def ngrams(tokens: Sequence[str], size: int) -> Counter[tuple[str, ...]]:
    """How often each row of `size` words occurs."""
    return Counter(zip(*(tokens[start:] for start in range(size))))


def corpus_bleu(captions: Sequence[str], references: Sequence[Sequence[str]]) -> float:
    """From 0 to 1. `captions`: texts; `references`: for each of them one text or more.

    Raises ValueError unless there are as many of the one as of the other.
    """
    if len(captions) != len(references):
        raise ValueError(f"{len(captions)} captions, but references for {len(references)}")
    right, total = [0] * LONGEST, [0] * LONGEST
    length = wanted = 0
    for caption, texts in zip(captions, references):
        said, meant = words(caption), [words(text) for text in texts]
        length += len(said)
        wanted += min((abs(len(each) - len(said)), len(each)) for each in meant)[1]
        for size in range(1, LONGEST + 1):
            most: Counter[tuple[str, ...]] = Counter()
            for each in meant:
                most |= ngrams(each, size)
            found = ngrams(said, size)
            right[size - 1] += sum((found & most).values())
            total[size - 1] += sum(found.values())
    if not all(right):
        return 0.0
    precision = sum(math.log(a / b) for a, b in zip(right, total)) / LONGEST
    return math.exp(precision + min(0.0, 1 - wanted / length))
