"""JSON as it is defined: no NaN, no infinities, no key twice in an object. For what submissions write."""

import json
import math


def parse(text):
    """Raises ValueError, whatever is wrong."""
    try:
        return DECODER.decode(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def constant(text):
    raise ValueError("it holds %s, which is no JSON" % text)


def number(text):
    value = float(text)
    if not math.isfinite(value):
        raise ValueError("the number %.80s is too large" % text)
    return value


def pairs(found):
    value = dict(found)
    if len(value) != len(found):
        raise ValueError("an object has the same key twice")
    return value


DECODER = json.JSONDecoder(parse_constant=constant, parse_float=number, object_pairs_hook=pairs)
