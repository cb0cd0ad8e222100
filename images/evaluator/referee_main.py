"""Starts the task's referee.py: its evaluate(table) returns the metrics. Runs as a user of its own."""

import importlib
import json
import os
import sys

from bench_referee import PlayerFailed, Table

RESULT_FD = 5


def main():
    order = json.loads(sys.stdin.read())
    sys.path[0] = os.getcwd()
    table = Table(order)
    try:
        result = {"outcome": "ok", "metrics": importlib.import_module("referee").evaluate(table)}
    except PlayerFailed as failure:
        result = {"outcome": "rejected", "message": str(failure), "playerEnded": failure.ended}
    except Exception as error:
        import traceback

        traceback.print_exc()
        result = {"outcome": "evaluator_error", "message": "the referee failed: %s" % type(error).__name__}
    os.write(RESULT_FD, json.dumps(result).encode())
    os.close(RESULT_FD)


if __name__ == "__main__":
    main()
