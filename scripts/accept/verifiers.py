"""Plays `bench env serve` with verifiers' own taskset for OpenEnv: `npm run build && npm run accept:verifiers`.

`vf-eval` reads examples/trainers/verifiers.toml, with the addresses of what is started here. Makes a virtual environment of 0.5 GB
and a home of its own, both in a temporary folder. Without a package registry it says so and exits with 0.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from bench_server import ROOT, Throwaway, environment, node
from verifiers_eval import PACKAGES, evaluate

LINES = [
    "printf 'def row_strategy(history):\\n    return 0\\n' > strategy.py",
    "validate",
    '{"cmd": 1}',
    "submit",
]


def stored(home: Path) -> list[float]:
    """What the episodes were paid, as the record has it."""
    query = "select sum(w.reward) as paid from episodes e, action_rewards(array[e.run_id]) w group by e.run_id order by 1"
    command = [node(), str(ROOT / "dist/cli/main.js"), "sql", query, "--json"]
    done = subprocess.run(
        command,
        env={**os.environ, "BENCH_HOME": str(home)},
        check=True,
        capture_output=True,
        text=True,
    )
    return [float(row[0]) for row in json.loads(done.stdout)["rows"]]


def main() -> int:
    if not (ROOT / "dist/cli/main.js").exists():
        raise SystemExit("dist/ is missing: npm run build")
    with Throwaway() as place:
        python = environment(place.folder / "verifiers", PACKAGES)
        if python is None:
            print("SKIPPED: verifiers cannot be installed here; see pip's error above")
            return 0
        server = place.serve("--name", "accept", "--tasks", "battleOfSexes")
        # Two groups of two.
        resets = [{"task": "battleOfSexes", "seed": seed} for seed in (1, 1, 2, 2)]
        paid = sorted(evaluate(python, place.folder / "eval", server.url, LINES, resets))
        assert paid == stored(place.home), (paid, stored(place.home))
        print(f"ok: {len(paid)} rollouts, rewards {paid}")
    return 0


sys.exit(main())
