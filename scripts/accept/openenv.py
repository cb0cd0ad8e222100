"""Plays OpenEnv's unmodified Python clients against `bench env serve`: `npm run build && npm run accept:openenv [-- version …]`.

Makes a virtual environment per version, and a home of its own, both in a temporary folder. Without a package registry it says so and exits with 0.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CLIENT = Path(__file__).with_name("openenv_client.py")
VERSIONS = ["0.10.0", "0.4.1"]
# What the clients import; the rest of the package's requirements is for its servers.
LEAN = ["websockets", "pydantic", "fastapi", "fastmcp", "requests", "httpx"]
CHECKS = ["scripted", "malformed", "full", "tools", "validate", "long_command"]


class Server:
    """`bench env serve` of a home."""

    def __init__(self, home: Path, *options: str) -> None:
        self.env = {**os.environ, "BENCH_HOME": str(home)}
        self.options = options
        self.port = 0
        self.start()

    def start(self) -> None:
        args = ["env", "serve", "--backend", "local", "--allow-local", "--port", str(self.port)]
        self.process = subprocess.Popen(
            [node(), str(ROOT / "dist/cli/main.js"), *args, *self.options],
            env=self.env,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        said = json.loads(self.process.stdout.readline())
        self.url = said["url"]
        self.pid = said["pid"]
        self.port = int(self.url.rsplit(":", 1)[1])

    def kill(self) -> None:
        """Kills what serves, as a machine would, and starts it where it listened unless that happens by itself."""
        os.kill(self.pid, signal.SIGKILL)
        try:
            self.process.wait(timeout=3)
        except subprocess.TimeoutExpired:
            return
        self.start()

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(timeout=60)


def node() -> str:
    found = shutil.which("node")
    if found is None:
        raise SystemExit("node is not on PATH")
    return found


def environment(folder: Path, version: str) -> Path | None:
    """A Python with this version's client; None: it cannot be had here."""
    place = folder / f"openenv-{version}"
    subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
    python = place / "bin/python"
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    for packages in (["--no-deps", f"openenv=={version}"], LEAN):
        if subprocess.run([*pip, *packages]).returncode != 0:
            return None
    return python


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
        pythons = {version: environment(folder, version) for version in versions}
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
            down = [node(), str(ROOT / "dist/cli/main.js"), "down"]
            subprocess.run(down, env={**os.environ, "BENCH_HOME": str(home)}, check=False)
        shutil.rmtree(folder, ignore_errors=True)
    print("all passed" if failed == 0 else f"{failed} failed")
    return 1 if failed else 0


sys.exit(main())
