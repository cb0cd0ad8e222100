"""Runs one task's prepare.py, then looks for leaks: `python3 prepare_main.py <order.json>`.

With `--scan` it only looks for leaks. The order: task, sample, prepare (path of prepare.py),
sources {name: path}, agent and hidden (empty folders to fill), agentFolders and hiddenFolders (what
is scanned), result (where to write {"leaks": [sentences]}).
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys

import leak_scan

ASSETS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# After Python's own modules: beside the package lie programs with any names.
sys.path.append(os.path.join(ASSETS, "images", "evaluator"))

from bench_tasks.prepare import Data  # noqa: E402


def main(arguments: list[str]) -> None:
    only_scan = arguments[0] == "--scan"
    with open(arguments[-1], encoding="utf-8") as file:
        order = json.load(file)
    if not only_scan:
        # What prepare.py prints is for people.
        sys.dont_write_bytecode = True
        spec = importlib.util.spec_from_file_location("prepare", order["prepare"])
        if spec is None or spec.loader is None:
            raise ImportError(f"{order['prepare']} is no Python file")
        module = importlib.util.module_from_spec(spec)
        sys.path.insert(1, os.path.dirname(order["prepare"]))
        spec.loader.exec_module(module)
        module.prepare(Data(order))
    leaks = leak_scan.leaks(order["agentFolders"], order["hiddenFolders"])
    with open(order["result"], "w", encoding="utf-8") as file:
        json.dump({"leaks": leaks}, file)


main(sys.argv[1:])
