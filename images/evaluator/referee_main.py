"""Starts the task's referee.py: its evaluate(...) returns the metrics.

Runs as a user of its own.
"""

from __future__ import annotations

import importlib
import json
import math
import os
import sys
from typing import TYPE_CHECKING

from bench_tasks.rejected import PlayerFailed, Rejected

if TYPE_CHECKING:
    from bench_tasks.order import RefereeOrder

RESULT_FD = 5
# What values of a submission's choice do to a referee that is right for all others. Nothing of the
# exception is shown.
BEYOND_SCORING = {
    OverflowError: "its numbers are too large",
    MemoryError: "to judge it takes more memory than the evaluator has",
    RecursionError: "it is nested too deeply",
}


class NotFinite(Exception):
    """A metric is no number that could be compared."""


def main() -> None:
    order = json.loads(sys.stdin.read())
    subject = subject_of(order)
    # Not before: what lies beside a referee.py may have the name of a module that we import.
    sys.path.insert(0, os.getcwd())
    try:
        metrics = importlib.import_module("referee").evaluate(subject)
        # A game's moves are small integers: there only the referee itself can be at fault.
        if order["kind"] != "game":
            check_finite(metrics)
        result = {"outcome": "ok", "metrics": metrics}
    except PlayerFailed as failure:
        result = {
            "outcome": "rejected",
            "message": str(failure),
            "playerEnded": failure.ended,
            "starved": failure.starved,
        }
    except Rejected as rejected:
        result = {"outcome": "rejected", "message": str(rejected)}
    except (NotFinite, *BEYOND_SCORING) as error:
        message = f"The submission cannot be scored: {reason(error)}"
        result = {"outcome": "rejected", "message": message}
    except Exception as error:
        import traceback

        from referee_fault import fault

        traceback.print_exc()
        result = {"outcome": "evaluator_error", "message": fault(error, os.getcwd())}
    try:
        data = json.dumps(result).encode()
    except (TypeError, ValueError) as error:
        message = f"the referee's metrics cannot be written as JSON: {error}"
        data = json.dumps({"outcome": "evaluator_error", "message": message}).encode()
    os.write(RESULT_FD, data)
    os.close(RESULT_FD)


def subject_of(order: RefereeOrder) -> object:
    """What evaluate() is handed: a player to ask, or files to judge. Only that is imported."""
    if order["kind"] == "game":
        from bench_tasks.games import Table

        return Table(order)
    if order["kind"] == "questions":
        from bench_tasks.questions import Player

        return Player(order)
    from bench_tasks.files import Files

    return Files(order)


def check_finite(metrics: object) -> None:
    for key, value in metrics.items() if isinstance(metrics, dict) else ():
        if isinstance(value, (int, float)) and not math.isfinite(value):
            raise NotFinite(f"its {key} is {value}")


def reason(error: BaseException) -> str:
    for sort, text in BEYOND_SCORING.items():
        if isinstance(error, sort):
            return text
    return str(error)


if __name__ == "__main__":
    main()
