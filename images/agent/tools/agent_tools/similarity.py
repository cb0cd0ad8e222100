"""How close two texts are: cosine of their weighted words and letter groups.

No model, no download.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

_WORD = re.compile(r"[^\W_]+(?:[.%][0-9]+)?")
_GROUP = 4


def _features(text: str) -> Counter[str]:
    words = _WORD.findall(text.lower())
    found: Counter[str] = Counter(words)
    # Groups of letters make "learning" and "learned" neighbours. Lighter than words: there are many
    # of them.
    for word in words:
        padded = f" {word} "
        for at in range(max(len(padded) - _GROUP + 1, 0)):
            found["#" + padded[at : at + _GROUP]] += 1
    return found


def scores(query: str, texts: Sequence[str]) -> list[float]:
    """From 0 (nothing in common) to 1 (the same words), one per text.

    What most texts share counts little.
    """
    documents = [_features(text) for text in texts]
    frequency: Counter[str] = Counter()
    for document in documents:
        frequency.update(document.keys())
    count = len(documents)

    def weighted(features: Counter[str]) -> dict[str, float]:
        return {
            name: (1 + math.log(times))
            * (math.log((1 + count) / (1 + frequency[name])) + 1)
            * (0.5 if name[0] == "#" else 1)
            for name, times in features.items()
        }

    wanted = weighted(_features(query))
    wanted_length = math.sqrt(sum(weight * weight for weight in wanted.values()))
    results = []
    for document in documents:
        weights = weighted(document)
        length = math.sqrt(sum(weight * weight for weight in weights.values()))
        common = sum(weight * weights.get(name, 0.0) for name, weight in wanted.items())
        results.append(
            min(common / (length * wanted_length), 1.0) if length and wanted_length else 0.0
        )
    return results
