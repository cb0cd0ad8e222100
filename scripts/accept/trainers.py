"""Plays `bench env serve` with TRL, TorchRL, SkyRL, verl, Gymnasium, verifiers and the clients of OpenEnv and ORS: `npm run build && npm run accept:trainers [-- check …]`.

Makes a virtual environment of 7 GB (the CUDA build of torch runs on CPUs) unless BENCH_TRAINERS_PYTHON names the Python of one,
and a home of its own, in a temporary folder. Without a package registry, or 12 GB of disk, it says so and exits with 0.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from bench_server import ROOT, Server, Throwaway, environment, free_port
from verifiers_eval import PACKAGES as VERIFIERS
from verifiers_eval import evaluate

CLIENT = Path(__file__).parent / "trainers/play.py"
CHECKS = ["rewards", "torchrl", "grpo_ors", "grpo_environment", "verl"]
# Programs that take the address alone.
PROGRAMS = {
    "harbor": Path(__file__).with_name("harbor_client.py"),
    "example_torchrl": ROOT / "examples/trainers/torchrl_rollout.py",
    "example_skyrl": ROOT / "examples/trainers/skyrl_play.py",
}
PACKAGES = [
    "torch", "torchrl==0.14.1", "trl==1.16.0", "transformers", "datasets", "openreward==0.1.167", "jmespath",
    "skyrl-gym==0.4.0", "gymnasium==1.4.0", "websockets", "pydantic", "fastapi", "fastmcp<3", "requests", "httpx", "openai",
    "ray", "hydra-core", "codetiming", "pylatexenc", "pandas", "pyarrow", "torchdata", "peft", "accelerate", "dill",
    "pillow", "cachetools",
]  # fmt: skip
# They name engines and GPU libraries among what they need, which nothing here uses.
ALONE = ["--no-deps", "openenv==0.10.0", "verl==0.9.1"]
NEEDED_BYTES = 12e9


def trainers(folder: Path) -> Path | None:
    given = os.environ.get("BENCH_TRAINERS_PYTHON")
    if given is not None:
        return Path(given)
    if shutil.disk_usage(folder).free < NEEDED_BYTES:
        print(f"SKIPPED: {folder} has less than {NEEDED_BYTES / 1e9:.0f} GB free")
        return None
    python = environment(folder / "trainers", PACKAGES, ALONE)
    if python is None:
        print("SKIPPED: the trainers cannot be installed here; see pip's error above")
    return python


def check(command: list[str], name: str, server: Server, endpoint_port: int) -> bool:
    began = time.monotonic()
    paths = [str(ROOT / "clients/python"), str(CLIENT.parent)]
    # -P: names of files beside harbor_client.py are those of packages.
    done = subprocess.run(
        command,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(paths),
            "PYTHONDONTWRITEBYTECODE": "1",
            **server.openreward(),
            "ENDPOINT_PORT": str(endpoint_port),
            "TRL_EXPERIMENTAL_SILENCE": "1",
            "HF_HUB_OFFLINE": "1",
        },
    )
    passed = done.returncode == 0
    print(f"  {'ok' if passed else 'FAILED'} {name} ({time.monotonic() - began:.0f} s)", flush=True)
    return passed


def verifiers_pays_alike(folder: Path, url: str) -> bool:
    """verifiers adds an episode's rewards up: bit for bit the sum of what REST pays for the same commands."""
    sys.path += [str(ROOT / "clients/python"), str(CLIENT.parent)]
    from play import KEYS, PLAY, by_rest

    python = environment(folder / "verifiers", VERIFIERS)
    if python is None:
        print("SKIPPED: verifiers cannot be installed here; see pip's error above")
        return True
    paid = evaluate(python, folder / "eval", url, PLAY, [KEYS])
    wanted = [sum(reward or 0.0 for reward in by_rest(url))]
    print(
        f"  {'ok' if paid == wanted else 'FAILED'} verifiers: {paid}, over REST {wanted}",
        flush=True,
    )
    return paid == wanted


def main() -> int:
    if not (ROOT / "dist/cli/main.js").exists():
        raise SystemExit("dist/ is missing: npm run build")
    failed = 0
    with Throwaway() as place:
        python = trainers(place.folder)
        if python is None:
            return 0
        fixture = ROOT / "test/fixtures/tasks/csvClassification"
        shutil.copytree(fixture, place.home / "configs/tasks/csvClassification")
        port = free_port()
        server = place.serve(
            *("--name", "accept", "--tasks", "csvClassification,battleOfSexes"),
            env={"BENCH_ROLLOUT_BASE_URL": f"http://127.0.0.1:{port}/v1"},
        )
        for name in sys.argv[1:] or [*CHECKS, *PROGRAMS, "verifiers"]:
            if name == "verifiers":
                failed += not verifiers_pays_alike(place.folder, server.url)
                continue
            program = PROGRAMS.get(name)
            given = [str(CLIENT), name] if program is None else [str(program)]
            failed += not check([str(python), "-P", *given, server.url], name, server, port)
    print("all passed" if failed == 0 else f"{failed} failed")
    return 1 if failed else 0


sys.exit(main())
