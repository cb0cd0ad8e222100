"""Plays OpenEnv's unmodified Python clients against `bench env serve`: `npm run build && npm run accept:openenv [-- version …]`.

Makes a virtual environment per version, and a home of its own, both in a temporary folder. Without a package registry it says so and exits with 0.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from bench_server import ROOT, Server, down, environment
from packages import openenv

CLIENT = Path(__file__).with_name("openenv_client.py")
VERSIONS = ["0.10.0", "0.4.1"]
CHECKS = ["scripted", "malformed", "full", "tools", "validate", "long_command"]


def check(python: Path, name: str, server: Server, reconnects: bool) -> bool:
    """Runs one check, and kills the server where the check asks for it."""
    options = ["--reconnects"] if reconnects else []
    began = time.monotonic()
    # -I: this file's name is that of the clients' package.
    command = [str(python), "-I", str(CLIENT), name, server.url, *options]
    client = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert client.stdout is not None
    for line in client.stdout:
        if line.strip() == "now":
            threading.Timer(2, server.kill).start()
    passed = client.wait() == 0
    print(f"  {'ok' if passed else 'FAILED'} {name} ({time.monotonic() - began:.0f} s)", flush=True)
    return passed


def main() -> int:
    if not (ROOT / "dist/cli/main.js").exists():
        raise SystemExit("dist/ is missing: npm run build")
    versions = sys.argv[1:] or VERSIONS
    failed = 0
    folder = Path(tempfile.mkdtemp(prefix="bench-accept-"))
    home = folder / "home"
    servers: list[Server] = []
    try:
        pythons = {
            version: environment(folder / f"openenv-{version}", *openenv(version))
            for version in versions
        }
        if None in pythons.values():
            print("SKIPPED: the clients cannot be installed here; see pip's error above")
            return 0
        servers.append(Server(home, "--name", "accept"))
        servers.append(Server(home, "--name", "accept-full", "--capacity", "1"))
        for version, python in pythons.items():
            assert python is not None
            print(f"openenv {version}", flush=True)
            reconnects = tuple(int(part) for part in version.split(".")[:2]) >= (0, 5)
            for name in CHECKS:
                failed += not check(python, name, servers[name == "full"], reconnects)
    finally:
        for server in servers:
            server.stop()
        if servers:
            down(home)
        shutil.rmtree(folder, ignore_errors=True)
    print("all passed" if failed == 0 else f"{failed} failed")
    return 1 if failed else 0


sys.exit(main())
