"""Runs the submission's function, one call per move, and speaks to the referee over two pipes.

Everything in this process belongs to the submission: it may patch, print or break what it likes and gains nothing,
since the referee believes only the moves.

Wire: the referee's order (4 bytes length, JSON), then "ready" (one byte) from us; then per move a request of `count`
bytes - all 255: a new game begins; else the opponent's last move - and our move in `count` bytes.
"""

import importlib
import json
import operator
import os
import random
import sys
import traceback

FROM_REFEREE_FD, TO_REFEREE_FD = 3, 4
NEW_GAME = 255


class InvalidMove(Exception):
    pass


def main():
    order = json.loads(receive(int.from_bytes(receive(4), "big")))
    count, low, high = order["count"], order["low"], order["high"]
    name = order["function"]
    random.seed(int(order["seed"], 16))
    sys.path[0] = os.getcwd()

    module = importlib.import_module(order["module"])
    function = getattr(module, name, None)
    if not callable(function):
        raise InvalidMove("%s.py has no function %s" % (order["module"], name))

    def scalar(move):
        try:
            value = operator.index(move)
        except TypeError:
            value = None
        if value is None or not low <= value <= high:
            raise InvalidMove("%s returned %.200r; expected an integer from %d to %d" % (name, move, low, high))
        return value

    def sequence(move):
        if not isinstance(move, (list, tuple)) or len(move) != count:
            raise InvalidMove("%s returned %.200r; expected a list of %d integers" % (name, move, count))
        return [scalar(value) for value in move]

    encode = (lambda move: (scalar(move),)) if count == 1 else sequence
    decode = (lambda data: data[0]) if count == 1 else list
    new_game = bytes((NEW_GAME,)) * count
    history = []
    own = None
    os.write(TO_REFEREE_FD, b"\x01")
    while True:
        request = receive(count)
        if request == new_game:
            history = []
        else:
            history.append((own, decode(request)))
        move = encode(function(copy(history, count)))
        own = move[0] if count == 1 else move
        os.write(TO_REFEREE_FD, bytes(move))


def copy(history, count):
    """The function may do as it likes with its argument."""
    return list(history) if count == 1 else [(list(own), list(other)) for own, other in history]


def receive(count):
    data = os.read(FROM_REFEREE_FD, count)
    while len(data) < count:
        more = os.read(FROM_REFEREE_FD, count - len(data))
        if not more:
            sys.exit(0)
        data += more
    return data


def report(error):
    if isinstance(error, InvalidMove):
        sys.stderr.write(str(error) + "\n")
        return
    frames = error.__traceback__
    while frames is not None and (frames.tb_frame.f_code.co_filename == __file__ or "importlib" in frames.tb_frame.f_code.co_filename):
        frames = frames.tb_next
    traceback.print_exception(type(error), error, frames)


if __name__ == "__main__":
    try:
        main()
    except Exception as error:
        report(error)
        sys.exit(1)
