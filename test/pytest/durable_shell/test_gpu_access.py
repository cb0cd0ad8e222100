"""A sandbox whose GPUs the host took ends before the next command, and says why when it is back."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from durable_shell.gpu_access import GpuAccess

AGENT = Path(__file__).parents[3] / "images/agent"
PROGRAM = """
import sys
from durable_shell.settings import Settings
from durable_shell.supervisor import Supervisor
home = sys.argv[1]
settings = Settings(uid=None, uid_is_ours_alone=False, workspace=home, home=home,
                    environment={"PATH": "/usr/bin:/bin", "HOME": home}, tools_socket=home + "/tools/sock",
                    has_gpus=True, gpu_device=home + "/nvidiactl")
Supervisor(settings).run_forever()
"""


def test_only_what_was_there_at_the_start_can_be_lost(tmp_path: Path) -> None:
    device = tmp_path / "nvidiactl"
    assert not GpuAccess(str(device)).lost()
    device.touch()
    access = GpuAccess(str(device))
    assert not access.lost()
    device.unlink()
    assert access.lost()


def started(home: Path) -> subprocess.Popen[bytes]:
    control = home / "control"
    control.mkdir(exist_ok=True)
    (control / "sock").unlink(missing_ok=True)
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(home)],
        cwd=control,
        env={**os.environ, "PYTHONPATH": str(AGENT)},
    )
    for _ in range(500):
        if (control / "sock").exists():
            return process
        time.sleep(0.02)
    raise AssertionError("the supervisor did not start")


def submit(home: Path, n: int, script: str) -> dict[str, object] | None:
    """The outcome; None: the supervisor ended instead."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(os.path.relpath(home / "control/sock"))
        order = {"op": "submit", "n": n, "script": script, "timeLimitSeconds": 20}
        connection.sendall(json.dumps(order).encode() + b"\n")
        if not connection.recv(4096):
            return None
    found = json.loads((home / f"control/steps/{n}/outcome.json").read_text())
    return dict(found)


def test_the_sandbox_ends_before_the_next_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    device = tmp_path / "nvidiactl"
    device.touch()
    (tmp_path / "tools").mkdir()
    first = started(tmp_path)
    try:
        during = submit(tmp_path, 1, f"rm {device}")
        assert during is not None and "took the GPUs" in str(during["notice"])
        assert "gpusLost" not in during
        assert submit(tmp_path, 2, "echo never") is None
        assert first.wait(timeout=20) == 0
    finally:
        first.kill()
    assert not (tmp_path / "control/steps/2").exists()
    device.touch()
    second = started(tmp_path)
    try:
        again = submit(tmp_path, 2, "echo once")
        assert again is not None and again["output"] == "once\n" and again["gpusLost"] is True
        assert again["lost"] is False and again["notice"] is None
        after = submit(tmp_path, 3, "true")
        assert after is not None and "gpusLost" not in after
    finally:
        second.kill()
