"""The check of MLGym's editor: flake8 with eight codes selected, if it is in the image.

Without it the same codes as far as `lint` and `names` know them, and E111 by `indentation`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig

from . import indentation, lint
from .names import Problem

_CODES = "F821,F822,F831,E111,E112,E113,E999,E902"
_SECONDS = 60


def problems(content: bytes, path: str) -> list[Problem]:
    """By line and column."""
    found = _by_flake8(content, path)
    return _by_ourselves(content, path) if found is None else found


def introduced(
    before: list[Problem], after: list[Problem], first: int, last: int, added: int
) -> list[Problem]:
    """What is new after lines `first` to `last` were replaced by `added` ones.

    Unlike `lint.introduced`, errors elsewhere count even where the file was broken before: so MLGym
    does.
    """
    shift = added - (last - first + 1)
    old = {
        (line if line < first else line + shift, column, code, text)
        for line, column, code, text in before
        if line < first or line > last
    }
    return [one for one in after if one not in old]


def _by_flake8(content: bytes, path: str) -> list[Problem] | None:
    """None: it is not there, or did not end well."""
    places = ["/opt/bench/lib", sysconfig.get_path("purelib"), "/usr/lib/python3/dist-packages"]
    if not any(os.path.isdir(os.path.join(place, "flake8")) for place in places):
        return None
    command = [sys.executable, "-sS", "-m", "flake8", "--isolated", "-j1", f"--select={_CODES}"]
    try:
        done = subprocess.run(
            [*command, f"--stdin-display-name={os.path.basename(path)}", "-"],
            input=content,
            capture_output=True,
            timeout=_SECONDS,
            cwd="/",
            env={"PYTHONPATH": ":".join(places), "LANG": "C.UTF-8", "PATH": "/usr/bin:/bin"},
        )
    except (OSError, subprocess.SubprocessError):
        return None
    if done.returncode not in (0, 1) or done.stderr.strip():
        return None
    return [_problem(line) for line in done.stdout.decode("utf-8", "replace").splitlines() if line]


def _problem(line: str) -> Problem:
    """`name.py:3:5: F821 undefined name 'x'`."""
    place, _, problem = line.partition(": ")
    row, column = ([int(part) for part in place.split(":")[1:3]] + [0, 0])[:2]
    code, _, text = problem.partition(" ")
    return row, column, code, text


def _by_ourselves(content: bytes, path: str) -> list[Problem]:
    report = lint.check(content, path)
    # A file that cannot be parsed has that error alone.
    odd = [] if report.tree is None else indentation.odd(content)
    return sorted([*report.problems, *odd])
