"""Log a training batch to Weights & Biases, one step per policy version.

    python -m bench_rl.wandb_export --project mine http://127.0.0.1:8123/t/<token>
    python -m bench_rl.wandb_export --project mine metrics.jsonl

The lines are those of `GET /v1/metrics`: from a server, or kept in a file. Needs `pip install wandb`; nothing else of
this package does.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

PREFIX = "bench"
TIMEOUT_S = 120


def read_metrics(source: str, token: str | None = None) -> Iterator[dict[str, Any]]:
    """Lines of a server (its URL) or of a file. ValueError: one of them is no JSON object, or the server refuses."""
    if source.startswith(("http://", "https://")):
        request = urllib.request.Request(source.rstrip("/") + "/v1/metrics")
        if token:
            request.add_header("Authorization", f"Bearer {token}")
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:
                text = answer.read().decode()
        except urllib.error.HTTPError as error:
            raise ValueError(
                f"{source} answers {error.code}: {error.read().decode()[:500]}"
            ) from error
    else:
        text = Path(source).read_text()
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise ValueError(f"{source}, line {number} is no JSON: {error}") from error
        if not isinstance(row, dict) or "policy_version" not in row:
            raise ValueError(f"{source}, line {number} has no policy_version")
        yield row


def flattened(row: dict[str, Any], prefix: str = PREFIX) -> dict[str, float]:
    """What can be drawn of a line, under names with a prefix: numbers; those of `truncations` by cause."""
    values: dict[str, float] = {}
    for name, value in row.items():
        if name == "policy_version":
            continue
        if isinstance(value, dict):
            values.update(flattened(value, f"{prefix}/{name}"))
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            values[f"{prefix}/{name}"] = value
    return values


def log_metrics(run: Any, rows: Iterable[dict[str, Any]]) -> int:
    """Log rows to a run of wandb, by policy version; those of no version are left out. Returns how many were logged.

    `bench/policy_version` is the axis, so that a trainer's own steps in the same run stay what they are, and a version
    that is logged again, with more episodes, does no harm.
    """
    run.define_metric(f"{PREFIX}/policy_version")
    run.define_metric(f"{PREFIX}/*", step_metric=f"{PREFIX}/policy_version")
    logged = 0
    for row in sorted(
        (row for row in rows if row["policy_version"] is not None),
        key=lambda row: int(row["policy_version"]),
    ):
        run.log({f"{PREFIX}/policy_version": row["policy_version"], **flattened(row)})
        logged += 1
    return logged


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench_rl.wandb_export", description=__doc__)
    parser.add_argument(
        "source", help="URL of `bench env serve`, or a file of lines of GET /v1/metrics"
    )
    parser.add_argument("--project", required=True, help="project of Weights & Biases")
    parser.add_argument("--name", help="name of the run")
    parser.add_argument("--id", help="id of a run to add to")
    given = parser.parse_args(arguments)
    try:
        wandb = importlib.import_module("wandb")
    except ImportError:
        print("error: wandb is not installed: pip install wandb", file=sys.stderr)
        return 2
    try:
        rows = list(read_metrics(given.source, os.environ.get("BENCH_ENV_TOKEN")))
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    resume = None if given.id is None else "allow"
    run = wandb.init(project=given.project, name=given.name, id=given.id, resume=resume)
    try:
        logged = log_metrics(run, rows)
    finally:
        run.finish()
    print(f"{logged} policy versions logged to {given.project}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
