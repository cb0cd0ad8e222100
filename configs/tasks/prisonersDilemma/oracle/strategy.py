"""The best that can be done: defecting pays more than cooperating whatever has happened so far."""


def row_strategy(history):
    return 1
