"""Starts the task's referee.py: its evaluate(...) returns the metrics. Runs as a user of its own."""

import importlib
import json
import os
import sys

from bench_channel import PlayerFailed
from bench_files import Files, Rejected
from bench_questions import Player
from bench_referee import Table

RESULT_FD = 5


def main():
    order = json.loads(sys.stdin.read())
    sys.path.insert(0, os.getcwd())
    # Whom evaluate() is handed: a player to ask, or files to judge.
    subject = {"game": Table, "questions": Player}.get(order["kind"], Files)(order)
    try:
        result = {"outcome": "ok", "metrics": importlib.import_module("referee").evaluate(subject)}
    except PlayerFailed as failure:
        result = {"outcome": "rejected", "message": str(failure), "playerEnded": failure.ended}
    except Rejected as rejected:
        result = {"outcome": "rejected", "message": str(rejected)}
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


if __name__ == "__main__":
    main()
