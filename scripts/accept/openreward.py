"""Plays the unmodified client of ORS against `bench env serve`, which is killed meanwhile: `npm run build && npm run accept:openreward [-- version …]`.

Makes a virtual environment per version, and a home of its own, both in a temporary folder. Without a package registry it says so and exits with 0.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

from bench_server import ROOT, Server, Throwaway, environment

CLIENT = Path(__file__).with_name("openreward_client.py")
VERSIONS = ["0.1.167"]
CHECKS = ["listed", "played", "refused", "long_result", "many"]


def check(python: Path, name: str, server: Server) -> bool:
    """Runs one check, and kills the server where the check asks for it."""
    began = time.monotonic()
    # -I: this file's name is that of the client's package.
    client = subprocess.Popen(
        [str(python), "-I", str(CLIENT), name],
        env={
            **os.environ,
            **server.openreward(),
        },
        stdout=subprocess.PIPE,
        text=True,
    )
    assert client.stdout is not None
    deaths = {"kill the front": server.kill, "kill the server": server.kill_server}
    for line in client.stdout:
        death = deaths.get(line.strip())
        if death is not None:
            threading.Timer(2, death).start()
        else:
            print(f"    {line.rstrip()}", flush=True)
    passed = client.wait() == 0
    print(f"  {'ok' if passed else 'FAILED'} {name} ({time.monotonic() - began:.0f} s)", flush=True)
    return passed


def main() -> int:
    if not (ROOT / "dist/cli/main.js").exists():
        raise SystemExit("dist/ is missing: npm run build")
    versions = sys.argv[1:] or VERSIONS
    failed = 0
    with Throwaway() as place:
        pythons = {
            version: environment(place.folder / f"openreward-{version}", [f"openreward=={version}"])
            for version in versions
        }
        if None in pythons.values():
            print("SKIPPED: the client cannot be installed here; see pip's error above")
            return 0
        server = place.serve(
            *("--name", "accept", "--split", "train=battleOfSexes,prisonersDilemma"),
            *("--split", "held-out=prisonersDilemma"),
        )
        for version, python in pythons.items():
            assert python is not None
            print(f"openreward {version}", flush=True)
            for name in CHECKS:
                failed += not check(python, name, server)
    print("all passed" if failed == 0 else f"{failed} failed")
    return 1 if failed else 0


sys.exit(main())
