"""Plays a command of half an hour with every unmodified client at its defaults: `npm run build && npm run accept:long-steps [-- client …]`.

All at once. BENCH_LONG_STEP_SECONDS asks for another time. Makes a virtual environment per client, and a home, in a temporary folder;
clients that cannot be installed here are skipped, and it says so.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from bench_server import ROOT, Throwaway, environment, free_port
from packages import MCP, NEMO, OPENREWARD, newer_python, openenv

SECONDS = int(os.environ.get("BENCH_LONG_STEP_SECONDS", "1800"))
CLIENT = Path(__file__).with_name("long_client.py")
# A name, which program of long_client.py it is, and what that needs.
CLIENTS: dict[str, tuple[str, list[list[str]]]] = {
    "openenv 0.10.0": ("openenv", openenv("0.10.0")),
    "openenv 0.4.1": ("openenv", openenv("0.4.1")),
    "openreward 0.1.167": ("openreward", [[OPENREWARD]]),
    "bench_rl": ("rest", []),
    "rollouts": ("rollouts", []),
    "harbor": ("harbor", [*openenv("0.10.0"), ["openai"]]),
    "mcp": ("mcp", [[MCP]]),
    "nemo-gym": ("nemo", NEMO),
}


def python_for(name: str, installs: list[list[str]], folder: Path) -> str | None:
    base = newer_python() if name == "nemo-gym" else sys.executable
    if base is None or not installs:
        return base
    made = environment(folder / name.replace(" ", "-"), *installs, python=base)
    return None if made is None else str(made)


def main() -> int:
    if not (ROOT / "dist/cli/main.js").exists():
        raise SystemExit("dist/ is missing: npm run build")
    failed = 0
    with Throwaway() as place:
        task = place.home / "configs/tasks/csvClassification"
        shutil.copytree(ROOT / "test/fixtures/tasks/csvClassification", task)
        with (task / "task.yaml").open("a") as file:
            file.write(f"limits: {{ commandSeconds: {2 * SECONDS + 60} }}\n")
        ports = {name: free_port() for name in ("rollouts", "harbor")}
        listed = ",".join(f"http://127.0.0.1:{port}/v1" for port in ports.values())
        server = place.serve(
            *("--name", "accept", "--tasks", "csvClassification"),
            env={"BENCH_ROLLOUT_BASE_URL": listed},
        )
        addresses = server.openreward()
        running: dict[str, subprocess.Popen[bytes]] = {}
        began = time.monotonic()
        for name in sys.argv[1:] or CLIENTS:
            program, installs = CLIENTS[name]
            python = python_for(name, installs, place.folder)
            if python is None:
                print(f"SKIPPED: {name} cannot be installed here; see pip's error above")
                continue
            # -I: names of files beside it are those of packages. NeMo Gym writes down its configuration where it is started.
            command = [python, "-I", str(CLIENT), program, server.url, str(SECONDS)]
            running[name] = subprocess.Popen(
                command,
                cwd=place.home,
                env={**os.environ, **addresses, "ENDPOINT_PORT": str(ports.get(program, 0))},
            )
        for name, client in running.items():
            passed = client.wait() == 0
            failed += not passed
            spent = time.monotonic() - began
            print(f"  {'ok' if passed else 'FAILED'} {name} (after {spent:.0f} s)", flush=True)
    print("all passed" if failed == 0 else f"{failed} failed")
    return 1 if failed else 0


sys.exit(main())
