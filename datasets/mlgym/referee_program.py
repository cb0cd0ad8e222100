"""Reads what the task's evaluator of MLGym printed.

The submitted code ran in its process, and could print what it liked.
"""

import json
import os

from bench_tasks.files import Files
from mlgym_metrics import metrics


def evaluate(files: Files) -> dict[str, float]:
    with open(
        os.path.join(os.path.dirname(os.path.abspath(__file__)), "mlgym.json"), encoding="utf-8"
    ) as file:
        order = json.load(file)
    return metrics(read(files, "stdout.txt"), read(files, "stderr.txt"), order)


def read(files: Files, name: str) -> str:
    return files.bytes(name).decode("utf-8", "replace")
