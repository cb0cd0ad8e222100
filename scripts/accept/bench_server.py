"""`bench env serve` as trainers meet it, for the acceptance of unmodified clients."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parents[2]


def node() -> str:
    found = shutil.which("node")
    if found is None:
        raise SystemExit("node is not on PATH")
    return found


class Server:
    """`bench env serve` of a home."""

    def __init__(self, home: Path, *options: str, env: dict[str, str] | None = None) -> None:
        self.env = {**os.environ, "BENCH_HOME": str(home), **(env or {})}
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
        port = urlsplit(self.url).port
        assert port is not None
        self.port = port

    def openreward(self) -> dict[str, str]:
        """How its client connects: it takes no path, and sends its key."""
        address, _, token = self.url.partition("/t/")
        return {
            "OPENREWARD_SESSION_URL": address,
            "OPENREWARD_API_URL": address,
            "OPENREWARD_API_KEY": token,
        }

    def kill(self) -> None:
        """Kills what serves, as a machine would, and starts it where it listened unless that happens by itself."""
        os.kill(self.pid, signal.SIGKILL)
        try:
            self.process.wait(timeout=3)
        except subprocess.TimeoutExpired:
            return
        self.start()

    def kill_server(self) -> None:
        """Kills the process behind the port, which is started again by itself."""
        children = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
        os.kill(int(children[0]), signal.SIGKILL)

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(timeout=60)


def down(home: Path) -> None:
    """Stops the services of a home, whatever a failed check has left open."""
    command = [node(), str(ROOT / "dist/cli/main.js"), "down", "--force"]
    subprocess.run(command, env={**os.environ, "BENCH_HOME": str(home)}, check=False)


def free_port() -> int:
    """For an endpoint of rollouts, which the server is configured with before it is there."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def environment(place: Path, *installs: list[str], python: str = sys.executable) -> Path | None:
    """A Python with these packages; None: they cannot be had here. BENCH_ACCEPT_ENVIRONMENTS names a folder that keeps them for the next time."""
    kept = os.environ.get("BENCH_ACCEPT_ENVIRONMENTS")
    if kept is not None:
        digest = hashlib.sha256(json.dumps([python, installs]).encode()).hexdigest()[:12]
        place = Path(kept).resolve() / f"{place.name}-{digest}"
    made = place / "bin/python"
    complete = place / "complete"
    if complete.exists():
        return made
    subprocess.run([python, "-m", "venv", str(place)], check=True)
    pip = [str(made), "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    for packages in installs:
        if subprocess.run([*pip, *packages]).returncode != 0:
            return None
    complete.touch()
    return made


class Throwaway:
    """A temporary folder with a home in it, and its servers: nothing of them is left afterwards."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="bench-accept-"))
        self.home = self.folder / "home"
        self._servers: list[Server] = []

    def serve(self, *options: str, env: dict[str, str] | None = None) -> Server:
        self._servers.append(Server(self.home, *options, env=env))
        return self._servers[-1]

    def __enter__(self) -> Throwaway:
        return self

    def __exit__(self, *_: object) -> None:
        for server in self._servers:
            server.stop()
        if self._servers:
            down(self.home)
        shutil.rmtree(self.folder, ignore_errors=True)
