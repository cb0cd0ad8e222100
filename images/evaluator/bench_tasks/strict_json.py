"""JSON as it is defined: no NaN, no infinities, no key twice in an object."""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

# Far beyond any honest file, and far from where Python gives up on what reads it next.
DEEPEST = 100


def parse(text: str) -> Any:
    """The value. Every number of it is in the range of floats, and its text can be encoded.

    Raises ValueError, whatever is wrong.
    """
    try:
        value = DECODER.decode(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    # Counted first: most texts have too few brackets to be deep.
    if text.count("[") + text.count("{") > DEEPEST and _deeper(value):
        raise ValueError("it is nested too deeply")
    if "\\u" in text:
        json.dumps(value, ensure_ascii=False).encode()  # raises for half of a pair of surrogates
    return value


def _deeper(value: Any) -> bool:
    """Whether it is nested more than DEEPEST levels deep."""
    level = [value]
    for _ in range(DEEPEST):
        level = [
            inner
            for each in level
            for inner in (each.values() if isinstance(each, dict) else each)
            if isinstance(inner, (dict, list))
        ]
        if not level:
            return False
    return True


def _constant(text: str) -> NoReturn:
    raise ValueError(f"it holds {text}, which is no JSON")


def _number(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"the number {text:.80} is too large")
    return value


def _whole(text: str) -> int:
    # Of more digits not even Python makes a number, and no float holds them.
    if len(text) > 308:
        raise ValueError(f"the number {text:.80} is too large")
    return int(text)


def _pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(found)
    if len(value) != len(found):
        raise ValueError("an object has the same key twice")
    return value


DECODER = json.JSONDecoder(
    parse_constant=_constant, parse_float=_number, parse_int=_whole, object_pairs_hook=_pairs
)
