"""What an evaluator of MLGym printed, read as MLGym reads it."""

from __future__ import annotations

import json
import math
from typing import Any

from bench_tasks.rejected import Rejected

QUOTED = 1500


def metrics(stdout: str, stderr: str, order: dict[str, Any]) -> dict[str, float]:
    """The declared metrics.

    Rejected: for the agent to mend; any other exception: the evaluator's own fault.
    """
    text = stdout
    if order["output"] == "first line":
        text = next((line for line in stdout.splitlines() if line.startswith("{")), "")
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise failure(stdout, stderr, order)
    missing = [key for key in order["metrics"] if key not in found]
    if missing:
        printed = ", ".join(found) or "an empty object"
        problem = f"{order['script']} printed no {', '.join(missing)}, only {printed}"
        raise Rejected(problem) if order["shared"] else RuntimeError(problem)
    return {key: number(found[key], key, order) for key in order["metrics"]}


def number(value: object, key: str, order: dict[str, Any]) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise Rejected(f"{order['script']} printed {key} = {value!r}, which is not a finite number")
    return value


def failure(stdout: str, stderr: str, order: dict[str, Any]) -> Exception:
    wanted = (
        "one JSON object and nothing else"
        if order["output"] == "whole"
        else "a line that begins with {"
    )
    printed = (stdout.strip() + "\n" + stderr.strip()).strip()
    quoted = printed if len(printed) <= QUOTED else "[...]" + printed[-QUOTED:]
    found = "\n" + quoted if quoted else "nothing"
    problem = f"{order['script']} must print {wanted}; it printed {found}"
    # Where no submitted code runs, this cannot be the submission's doing.
    last = stderr.strip().splitlines()[-1:] or [""]
    own = not order["shared"] and last[0].startswith(
        ("ModuleNotFoundError", "ImportError", "MemoryError")
    )
    return RuntimeError(problem) if own else Rejected(problem)
