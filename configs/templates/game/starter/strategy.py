"""A strategy: edit play, then run `validate`."""


def play(history):
    """0 or 1, given the rounds of this game so far as (own guess, what was shown)."""
    return len(history) % 2
