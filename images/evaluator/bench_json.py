"""JSON as it is defined: no NaN, no infinities, no key twice in an object. For what submissions write."""

import json
import math

# Far beyond any honest file, and far from where Python gives up on what reads it next.
DEEPEST = 100


def parse(text):
    """Raises ValueError, whatever is wrong. Every number of it is in the range of floats, and its text can be encoded."""
    try:
        value = DECODER.decode(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    # Counted first: most texts have too few brackets to be deep.
    if text.count("[") + text.count("{") > DEEPEST and deeper(value):
        raise ValueError("it is nested too deeply")
    if "\\u" in text:
        json.dumps(value, ensure_ascii=False).encode()  # raises for half of a pair of surrogates
    return value


def deeper(value):
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


def constant(text):
    raise ValueError("it holds %s, which is no JSON" % text)


def number(text):
    value = float(text)
    if not math.isfinite(value):
        raise ValueError("the number %.80s is too large" % text)
    return value


def whole(text):
    # Of more digits not even Python makes a number, and no float holds them.
    if len(text) > 308:
        raise ValueError("the number %.80s is too large" % text)
    return int(text)


def pairs(found):
    value = dict(found)
    if len(value) != len(found):
        raise ValueError("an object has the same key twice")
    return value


DECODER = json.JSONDecoder(parse_constant=constant, parse_float=number, parse_int=whole, object_pairs_hook=pairs)
