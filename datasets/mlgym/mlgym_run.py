"""Lays out the workspace that an evaluator of MLGym expects, and runs the evaluator as it is.

That is a process of its own.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from typing import Any

# Where MLGym's containers have the workspace; some evaluators name it.
WORKSPACE = b"/home/agent/workspace"


def stage(workspace: str, folders: Iterable[str], replaced: Iterable[str] | None = None) -> None:
    """The files of the folders, the later ones over the earlier; with `replaced` only those files,
    and those of such folders.

    Programs are copied, with the workspace's path as it is here; all else is linked.
    """
    named = None if replaced is None else [os.path.join(workspace, name) for name in replaced]
    for folder in folders:
        for place, _, names in os.walk(folder):
            target = os.path.normpath(os.path.join(workspace, os.path.relpath(place, folder)))
            os.makedirs(target, exist_ok=True)
            for name in names:
                there = os.path.join(target, name)
                if named is None or not os.path.lexists(there) or _is_among(there, named):
                    put(os.path.join(place, name), there, os.fsencode(workspace))


def _is_among(path: str, named: Iterable[str]) -> bool:
    return any(path == name or path.startswith(name + os.sep) for name in named)


def put(source: str, target: str, workspace: bytes) -> None:
    if os.path.lexists(target):
        os.unlink(target)
    if not source.endswith(".py"):
        os.symlink(source, target)
        return
    with open(source, "rb") as file:
        text = file.read()
    with open(target, "wb") as file:
        file.write(text.replace(WORKSPACE, workspace))


def run(workspace: str, order: dict[str, Any], seed: int, outputs: str) -> None:
    """Run `python <script> <arguments>` in the workspace.

    What it prints goes to stdout.txt and stderr.txt in the folder `outputs`.
    """
    seeded = os.path.join(os.path.dirname(os.path.abspath(__file__)), "mlgym_seeded.py")
    command = [sys.executable, "-s", seeded, str(seed), ",".join(order["seeded"]), order["script"]]
    with (
        open(os.path.join(outputs, "stdout.txt"), "wb") as out,
        open(os.path.join(outputs, "stderr.txt"), "wb") as err,
    ):
        subprocess.run(
            command + arguments(workspace, order),
            cwd=workspace,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
        )


def arguments(workspace: str, order: dict[str, Any]) -> list[str]:
    values: dict[str, Callable[[], str]] = {
        "{workspace}": lambda: workspace,
        "{config}": lambda: first_config(workspace),
    }
    found = []
    for text in order["arguments"]:
        for name, value in values.items():
            if name in text:
                text = text.replace(name, value())
        found.append(text)
    return found


def first_config(workspace: str) -> str:
    """MLGym takes whatever *.yaml its search meets first; this is the nearest to the top, by name."""
    configs: list[str] = []
    for place, _, names in os.walk(workspace):
        configs += [os.path.join(place, name) for name in names if name.endswith(".yaml")]
    return min(configs, key=lambda path: (path.count(os.sep), path), default="")
