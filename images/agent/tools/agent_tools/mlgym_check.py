"""The check of MLGym's editor: what flake8 finds with F821, F822, F831, E111, E999 and E902 selected.

flake8 takes F… from pyflakes, which is asked itself here: starting flake8 takes ten times as long.
Without pyflakes `names` stands in, which follows no order of statements.
"""

from __future__ import annotations

import ast
import os
import re
import sys
import sysconfig
from typing import Any

from . import indentation, lint, names
from .names import Problem

_PLACES = ("/opt/bench/lib", "/usr/lib/python3/dist-packages")
_CODES = {"UndefinedName": "F821", "UndefinedExport": "F822", "DuplicateArgument": "F831"}
_NOQA = re.compile(rb"# noqa(?::[\s]?(?P<codes>[A-Z][0-9]+(?:[,\s]+)?)+)?", re.IGNORECASE)


def problems(content: bytes, path: str) -> list[Problem]:
    """By line and column."""
    report = lint.check(content, path)
    if report.tree is None:
        # Of a file that cannot be parsed flake8 says nothing else.
        return report.problems
    found = _by_pyflakes(report.tree, path)
    if found is None:
        found = names.problems(report.tree, os.path.basename(path))
    return sorted(
        one for one in [*found, *indentation.odd(content)] if not _is_excused(content, one)
    )


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


def _by_pyflakes(tree: ast.AST, path: str) -> list[Problem] | None:
    """None: it is not there, or gives up."""
    checker = _pyflakes()
    if checker is None:
        return None
    try:
        messages = checker.Checker(tree, filename=os.path.basename(path)).messages
    except (RecursionError, RuntimeError):
        return None
    return [
        (
            message.lineno,
            message.col + 1,
            _CODES[type(message).__name__],
            message.message % message.message_args,
        )
        for message in messages
        if type(message).__name__ in _CODES
    ]


def _pyflakes() -> Any:
    # Isolated from the site's packages at the start, which none but this command needs.
    sys.path.extend([*_PLACES, sysconfig.get_path("purelib")])
    try:
        from pyflakes import checker
    except ImportError:
        return None
    return checker


def _is_excused(content: bytes, problem: Problem) -> bool:
    rows = content.split(b"\n")
    found = _NOQA.search(rows[problem[0] - 1]) if problem[0] <= len(rows) else None
    if found is None:
        return False
    codes = re.findall(rb"[A-Z][0-9]+", found.group(0).partition(b":")[2].upper())
    return not codes or any(problem[2].encode().startswith(code) for code in codes)
