"""Starts the task's referee.py: its evaluate(...) returns the metrics. Runs as a user of its own."""

import importlib
import json
import math
import os
import sys

from bench_channel import PlayerFailed
from bench_files import Files, Rejected
from bench_questions import Player
from bench_referee import Table

RESULT_FD = 5
# What values of a submission's choice do to a referee that is right for all others. Nothing of the exception is told.
BEYOND_SCORING = {
    OverflowError: "its numbers are too large",
    MemoryError: "to judge it takes more memory than the evaluator has",
    RecursionError: "it is nested too deeply",
}


class NotFinite(Exception):
    pass


def main():
    order = json.loads(sys.stdin.read())
    sys.path.insert(0, os.getcwd())
    # Whom evaluate() is handed: a player to ask, or files to judge.
    subject = {"game": Table, "questions": Player}.get(order["kind"], Files)(order)
    try:
        metrics = importlib.import_module("referee").evaluate(subject)
        # A game's moves are small integers: there only the referee itself can be at fault.
        if order["kind"] != "game":
            check_finite(metrics)
        result = {"outcome": "ok", "metrics": metrics}
    except PlayerFailed as failure:
        result = {"outcome": "rejected", "message": str(failure), "playerEnded": failure.ended, "starved": failure.starved}
    except Rejected as rejected:
        result = {"outcome": "rejected", "message": str(rejected)}
    except (NotFinite, *BEYOND_SCORING) as error:
        result = {"outcome": "rejected", "message": "The submission cannot be scored: %s" % reason(error)}
    except Exception as error:
        import traceback

        traceback.print_exc()
        result = {"outcome": "evaluator_error", "message": "the referee failed: %s" % type(error).__name__}
    try:
        data = json.dumps(result).encode()
    except (TypeError, ValueError) as error:
        message = "the referee's metrics cannot be written as JSON: %s" % error
        data = json.dumps({"outcome": "evaluator_error", "message": message}).encode()
    os.write(RESULT_FD, data)
    os.close(RESULT_FD)


def check_finite(metrics):
    for key, value in metrics.items() if isinstance(metrics, dict) else ():
        if isinstance(value, (int, float)) and not math.isfinite(value):
            raise NotFinite("its %s is %s" % (key, value))


def reason(error):
    return next((text for sort, text in BEYOND_SCORING.items() if isinstance(error, sort)), str(error))


if __name__ == "__main__":
    main()
