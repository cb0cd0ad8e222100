"""The row player's strategy: edit row_strategy, then run `validate`."""

import random

SOLDIERS = 120
FIELDS = 6


def row_strategy(history):
    """Place at most 120 soldiers on 6 fields, given the rounds of this game so far as (own placement, opponent's)."""
    fields = [0] * FIELDS
    for _ in range(random.randint(1, FIELDS)):
        fields[random.randrange(FIELDS)] += random.randint(10, 30)
    left = SOLDIERS - sum(fields)
    for field in range(FIELDS):
        if fields[field] == 0 and left > 0:
            fields[field] = random.randint(0, left)
            left -= fields[field]
    return all_placed(fields)


def all_placed(fields):
    """The same shares with all soldiers placed; what rounding leaves goes to one field."""
    total = sum(fields)
    scaled = [value * SOLDIERS // total for value in fields]
    scaled[random.randrange(FIELDS)] += SOLDIERS - sum(scaled)
    return scaled
