"""The check that edits go through in MLGym's dialect."""

from __future__ import annotations

import pytest

from agent_tools import mlgym_check


def check(program: str) -> list[str]:
    return [f"{code} {text}" for _, _, code, text in mlgym_check.problems(program.encode(), "x.py")]


E111 = "E111 indentation is not a multiple of 4"

CASES = {
    "def f():\n  a = 1\n  return a\n": [E111, E111],
    # A continued line is no statement of its own, and a comment is none.
    "def f(a,\n  b):\n    # x\n   # y\n    return (a,\n  b)\n": [],
    "def f():\n  return x\n": [E111, "F821 undefined name 'x'"],
    # What cannot be parsed has that error alone.
    "def f():\n  a = (\n": ["E999 SyntaxError: '(' was never closed"],
    "x = 1\n  y = 2\n": ["E999 IndentationError: unexpected indent"],
    "print(x)  # noqa\n": [],
    "print(x)  # noqa: E111\n": ["F821 undefined name 'x'"],
}


@pytest.mark.parametrize("program", CASES)
def test_finds_what_flake8_finds(program: str) -> None:
    assert check(program) == CASES[program]


def test_only_what_is_new_counts() -> None:
    before = mlgym_check.problems(b"print(a)\nprint(b)\nprint(c)\n", "x.py")
    # Line 2 becomes two lines.
    after = mlgym_check.problems(b"print(a)\nx = 1\nprint(d)\nprint(c)\n", "x.py")
    assert [text for *_, text in mlgym_check.introduced(before, after, 2, 2, 2)] == [
        "undefined name 'd'"
    ]
