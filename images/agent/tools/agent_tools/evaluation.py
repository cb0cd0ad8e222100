"""validate and submit: asked for here, done by the worker when the command has ended."""

from __future__ import annotations

from typing import List

from .failure import UsageError
from .supervisor_socket import ask


def validate(arguments: List[str]) -> None:
    _ask("validate", arguments)


def submit(arguments: List[str]) -> None:
    _ask("submit", arguments)


def _ask(name: str, arguments: List[str]) -> None:
    if arguments:
        raise UsageError(f"{name} takes no arguments.")
    print(ask(name))
