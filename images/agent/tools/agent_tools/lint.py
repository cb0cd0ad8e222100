"""What is wrong with a Python file, under the codes of the usual checker.

E999 syntax, E902 encoding, F821, F822, F831 names.
"""

from __future__ import annotations

import ast
import os
import re
import warnings

from . import names

Problem = names.Problem

# Longer files are not checked: it would take seconds and a lot of memory.
_MOST_BYTES = 2 * 1024 * 1024
_COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")


class Report:
    def __init__(self, problems: list[Problem], tree: ast.AST | None, checked: bool = True) -> None:
        self.problems = problems
        self.tree = tree
        self.checked = checked

    @property
    def broken(self) -> bool:
        """It cannot be read as Python at all, so nothing is known about its names."""
        return self.tree is None and self.checked


def check(content: bytes, path: str) -> Report:
    if len(content) > _MOST_BYTES:
        return Report([], None, checked=False)
    text, problem = _decoded(content)
    if text is None:
        return Report([problem], None) if problem else Report([], None, checked=False)
    warnings.simplefilter("ignore")
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        column = max(error.offset or 1, 1)
        return Report(
            [(error.lineno or 1, column, "E999", f"{type(error).__name__}: {error.msg}")], None
        )
    except ValueError as error:
        # NUL bytes.
        return Report([(1, 1, "E999", f"ValueError: {error}")], None)
    except (RecursionError, MemoryError):
        return Report([], None, checked=False)
    try:
        return Report(names.problems(tree, os.path.basename(path)), tree)
    except RecursionError:
        return Report([], None, checked=False)


def _decoded(content: bytes) -> tuple[str | None, Problem | None]:
    if content.startswith(b"\xef\xbb\xbf"):
        content = content[3:]
    cookie = None
    for line in content.split(b"\n", 2)[:2]:
        cookie = cookie or _COOKIE.match(line)
    try:
        return content.decode(
            cookie.group(1).decode("ascii", "replace") if cookie else "utf-8"
        ), None
    except (LookupError, ValueError) as error:
        if isinstance(error, LookupError) and not isinstance(error, UnicodeError):
            return None, (1, 1, "E902", f"LookupError: {error}")
        # As the usual checker does: Python itself may refuse the file, but its structure can be
        # judged.
        return content.decode("latin-1"), None


def introduced(
    before: Report, after: Report, first: int, removed: int, added: int
) -> list[Problem]:
    """What an edit brought in that replaced `removed` lines from `first` on by `added` ones.

    What was there outside these lines does not count. A file that was broken before may stay so:
    which of the errors elsewhere are old is not known, and fixing it one place at a time must be
    possible.
    """
    if before.broken:
        return [problem for problem in after.problems if first <= problem[0] < first + added]
    old = set()
    for line, _, code, text in before.problems:
        if line < first:
            old.add((line, code, text))
        elif line >= first + removed:
            old.add((line + added - removed, code, text))
    return [
        problem for problem in after.problems if (problem[0], problem[2], problem[3]) not in old
    ]


def odd_indentation(content: bytes) -> list[int]:
    """Lines that open a block with an indent of other than a multiple of four columns (E111)."""
    import io
    import tokenize

    found = []
    try:
        for token in tokenize.tokenize(io.BytesIO(content).readline):
            if token.type == tokenize.INDENT and len(token.string.expandtabs(8)) % 4 != 0:
                found.append(token.start[0])
    except (tokenize.TokenError, SyntaxError, ValueError):
        pass
    return found
