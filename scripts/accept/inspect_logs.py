"""Runs exported as Inspect logs and ATIF trajectories, read by Inspect itself and by Harbor's validator.

    python3 scripts/accept/inspect_logs.py

Installs inspect-ai in a virtual environment and unpacks Harbor's wheel. Opens a log in `inspect view` where there is a chromium.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
import urllib.request
import zipfile
from pathlib import Path
from typing import Any

from bench_server import ROOT, Throwaway, down, environment, node

HARBOR = "harbor==0.25.0"

# In the environment's Python: prints what Inspect counts in the logs of a folder.
COUNT = """
import json, sys
from inspect_ai.analysis import messages_df, samples_df
from inspect_ai.log import list_eval_logs, read_eval_log

found = {}
for info in list_eval_logs(sys.argv[1]):
    log = read_eval_log(info.name, resolve_attachments=True)
    assert log.status == "success", log.status
    for sample in log.samples:
        usage = list(sample.model_usage.values())
        calls = [e for e in sample.events if e.event == "model"]
        found[sample.uuid] = {
            "replies": sum(m.role == "assistant" for m in sample.messages),
            "tools": sum(e.event == "tool" for e in sample.events),
            "tokens": sum(u.total_tokens for u in usage),
            "called": sum(c.output.usage.total_tokens for c in calls if c.output.usage),
            "scores": [e.score.value for e in sample.events if e.event == "score"],
            "final": {k: s.value for k, s in (sample.scores or {}).items()},
            "inputs": [len(c.input) for c in calls],
        }
samples = samples_df(sys.argv[1])
messages = messages_df(sys.argv[1])
print(json.dumps({"samples": found, "rows": sorted(samples["sample_id"]), "messages": len(messages),
    "totals": {str(k): int(v) for k, v in zip(samples["sample_id"], samples["message_count"])}}))
"""


def bench(home: Path, *args: str) -> Any:
    command = [node(), str(ROOT / "dist/cli/main.js"), *args, "--json"]
    done = subprocess.run(
        command, env={**os.environ, "BENCH_HOME": str(home)}, capture_output=True, text=True
    )
    if done.returncode not in (0, 1):
        raise SystemExit(f"bench {' '.join(args)}: {done.stdout}{done.stderr}")
    return json.loads(done.stdout)


def same(what: str, found: object, expected: object) -> None:
    if found != expected:
        raise SystemExit(f"{what}: {found} where {expected} was expected")


def read_by_inspect(python: Path, home: Path, batch: str, logs: Path) -> None:
    counting = subprocess.run([str(python), "-c", COUNT, str(logs)], capture_output=True, text=True)
    if counting.returncode != 0:
        raise SystemExit(f"Inspect refuses the logs: {counting.stderr[-2000:]}")
    counted = json.loads(counting.stdout.splitlines()[-1])
    runs = bench(home, "runs", batch)["runs"]
    same("samples", sorted(counted["samples"]), sorted(run["runId"] for run in runs))
    same("rows of samples_df", counted["rows"], sorted(counted["samples"]))
    for run in runs:
        found = counted["samples"][run["runId"]]
        shown = bench(home, "show", run["runId"])
        usage = shown["usage"]
        primary = [e["primary"] for e in shown["evaluationList"] if e["primary"] is not None]
        same("replies", found["replies"], shown["steps"])
        same("tools", found["tools"], shown["steps"])
        same("tokens", found["tokens"], usage["inputTokens"] + usage["outputTokens"])
        same("tokens of calls", found["called"], found["tokens"])
        same("scores", found["scores"], primary)
        same("final score", found["final"].get(shown["primary"]), shown["finalScore"])
    # What a model was asked last, and what it said: the last result is in no request.
    asked = sum(found["inputs"][-1] + 1 for found in counted["samples"].values())
    if counted["messages"] < asked:
        raise SystemExit(f"messages_df has {counted['messages']} messages of {asked}")
    print(f"inspect: {len(runs)} runs, {counted['messages']} messages, counts are equal")


def validated_by_harbor(python: Path, folder: Path, trajectories: Path) -> None:
    wheels = folder / "wheels"
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "download", "--quiet"]
    # Its other dependencies are not needed for the validator.
    options = ["--no-deps", "--ignore-requires-python", "-d", str(wheels), HARBOR]
    if subprocess.run([*pip, *options]).returncode != 0:
        print("harbor: SKIPPED, its wheel cannot be had here")
        return
    with zipfile.ZipFile(next(wheels.glob("*.whl"))) as wheel:
        wheel.extractall(folder / "harbor")
    env = {**os.environ, "PYTHONPATH": str(folder / "harbor")}
    files = sorted(trajectories.glob("*.json"))
    for file in files:
        check = [str(python), "-m", "harbor.utils.trajectory_validator", str(file)]
        done = subprocess.run(check, env=env, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"Harbor refuses {file.name}: {done.stdout}{done.stderr}")
    print(f"harbor: {len(files)} trajectories are valid")


def shown_in_browser(python: Path, logs: Path) -> None:
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        print("inspect view: SKIPPED, there is no chromium")
        return
    view = subprocess.Popen(
        [str(python.parent / "inspect"), "view", "--log-dir", str(logs), "--port", "17575"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        url = "http://127.0.0.1:17575"
        for _ in range(120):
            try:
                urllib.request.urlopen(url, timeout=5).close()
                break
            except OSError:
                time.sleep(0.5)
        log = next(logs.glob("*.eval")).name
        script = ROOT / "scripts/accept/inspect_view.mjs"
        done = subprocess.run([node(), str(script), chromium, f"{url}/#/logs/{log}"])
        if done.returncode != 0:
            raise SystemExit("inspect view does not show the log")
    finally:
        view.terminate()
        view.wait(timeout=30)


def main() -> None:
    with Throwaway() as place:
        python = environment(place.folder / "venv", ["inspect-ai", "pandas", "pyarrow"])
        if python is None:
            print("SKIPPED: inspect-ai cannot be installed here")
            return
        matrix = ["--models", "scripted:baseline,scripted:clumsy"]
        options = ["--tasks", "blotto", "--attempts", "2", "--name", "spring", "--max-steps", "8"]
        try:
            bench(place.home, "submit", *matrix, *options, "--backend", "local", "--wait")
            logs, trajectories = place.folder / "logs", place.folder / "trajectories"
            for form, output in (("inspect", logs), ("atif", trajectories)):
                bench(place.home, "export", "spring", "--format", form, "-o", str(output))
            read_by_inspect(python, place.home, "spring", logs)
            validated_by_harbor(python, place.folder, trajectories)
            shown_in_browser(python, logs)
        finally:
            down(place.home)


if __name__ == "__main__":
    main()
