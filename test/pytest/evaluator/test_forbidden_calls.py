"""System calls that are taken from players."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

EVALUATOR = Path(__file__).parents[3] / "images/evaluator"
CALLS = """
import ctypes, errno, os, platform
NUMBERS = {"x86_64": (283, 286, 287), "aarch64": (85, 86, 87)}[platform.machine()] + (425, 426, 427, 447)
libc = ctypes.CDLL(None, use_errno=True)
def refused():
    found = []
    for number in NUMBERS:
        ctypes.set_errno(0)
        # Arguments that make no sense: none of them has an effect where it is allowed.
        libc.syscall(number, -1, -1, -1, -1, -1, -1)
        found.append(errno.errorcode[ctypes.get_errno()])
    return found
"""
# In a process of its own: what is forbidden stays forbidden.
PROGRAM = (
    CALLS
    + """
import json, subprocess, sys
sys.path.insert(0, sys.argv[1])
from forbidden_calls import forbid
before = refused()
forbid()
calls = sys.argv[2] + "print(refused())"
inner = subprocess.run([sys.executable, "-c", calls], capture_output=True, text=True).stdout
zeros = sum(os.read(os.open("/dev/zero", 0), 3))
same = inner.strip() == repr(refused())
print(json.dumps({"before": before[0], "after": refused(), "inner": same, "sum": zeros}))
"""
)


@pytest.mark.skipif(sys.platform != "linux", reason="Linux's system calls")
def test_takes_timers_rings_and_secret_memory_from_a_player_and_all_that_it_starts() -> None:
    run = [sys.executable, "-c", PROGRAM, str(EVALUATOR), CALLS]
    found = json.loads(subprocess.run(run, capture_output=True, check=True).stdout)
    assert found == {"before": "EINVAL", "after": ["ENOSYS"] * 7, "inner": True, "sum": 0}
