"""The best that can be done against an opponent that does not react: give up two fields, hold four."""


def row_strategy(history):
    return [0, 0, 30, 30, 30, 30]
