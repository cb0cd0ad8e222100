"""validate and submit: asked for here, done by the worker when the command has ended,
for a program while it runs.
"""

from __future__ import annotations

from . import words
from .failure import UsageError
from .supervisor_socket import ask


def validate(arguments: list[str]) -> None:
    _ask("validate", arguments)


def submit(arguments: list[str]) -> None:
    _ask("submit", arguments)


def _ask(name: str, arguments: list[str]) -> None:
    if arguments:
        raise UsageError(f"{name} takes no arguments.")
    # A program that plays by itself waits for the score.
    answer = ask(name, seconds=None)
    # In MLGym what follows is the score alone.
    if not words.is_mlgym():
        print(answer)
