"""Imports the submission and lets its function answer the referee, over two pipes.

Everything in this process belongs to the submission: it may patch, print or break what it likes and
gains nothing, since the referee believes only the answers.

Wire: the referee's order (4 bytes length, JSON), then "ready" (one byte) from us; then as
bench_player/ says.
"""

from __future__ import annotations

import importlib
import json
import os
import random
import sys
import traceback

from bench_player import game, questions
from bench_player.pipe import InvalidAnswer, receive, send

WIRES = {"game": game.play, "questions": questions.answer}


def main() -> None:
    order = json.loads(receive(int.from_bytes(receive(4), "big")))
    random.seed(int(order["seed"], 16))
    # A task's own files for the player come first; their modules import the submission's.
    sys.path[0:1] = [os.path.join(os.path.dirname(os.getcwd()), "player"), os.getcwd()]
    function = getattr(importlib.import_module(order["module"]), order["function"], None)
    if not callable(function):
        raise InvalidAnswer(f"{order['module']}.py has no function {order['function']}")
    send(b"\x01")
    WIRES[order["wire"]](order, function)


def report(error: BaseException) -> None:
    """The traceback from the submission's own frames on."""
    if isinstance(error, InvalidAnswer):
        sys.stderr.write(str(error) + "\n")
        return
    ours = (__file__, game.__file__, questions.__file__)
    frames = error.__traceback__
    while frames is not None and (
        frames.tb_frame.f_code.co_filename in ours
        or "importlib" in frames.tb_frame.f_code.co_filename
    ):
        frames = frames.tb_next
    traceback.print_exception(type(error), error, frames)


if __name__ == "__main__":
    try:
        main()
    except Exception as error:
        report(error)
        sys.exit(1)
