"""Scores a submitted file with the task's own evaluator of MLGym.

It reads files that no agent has touched.
"""

import json
import os
import tempfile

import mlgym_run
from bench_tasks.files import Files
from mlgym_metrics import metrics

HERE = os.path.dirname(os.path.abspath(__file__))


def evaluate(files: Files) -> dict[str, float]:
    with open(os.path.join(HERE, "mlgym.json"), encoding="utf-8") as file:
        order = json.load(file)
    with tempfile.TemporaryDirectory() as scratch:
        workspace = os.path.join(scratch, "workspace")
        layers = [
            os.path.join(HERE, "inputs", files.split),
            os.path.join(HERE, "secret"),
            files.folder,
        ]
        mlgym_run.stage(workspace, layers)
        mlgym_run.run(workspace, order, files.rng.getrandbits(31), scratch)
        return metrics(read(scratch, "stdout.txt"), read(scratch, "stderr.txt"), order)


def read(folder: str, name: str) -> str:
    with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
        return file.read(1 << 20)
