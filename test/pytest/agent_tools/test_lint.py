"""The check of Python that edits go through."""

from __future__ import annotations

import re

import pytest

from agent_tools import lint


def check(program: str) -> list[str]:
    """`line:column code text` of each problem."""
    text = program.encode("utf-8", "surrogateescape")
    return ["{}:{} {} {}".format(*problem) for problem in lint.check(text, "x.py").problems]


UNDEFINED = {
    "print(x)\n": ["1:7 F821 undefined name 'x'"],
    "def f(a=b) -> c:\n    return d\n": [
        "1:9 F821 undefined name 'b'",
        "1:15 F821 undefined name 'c'",
        "2:12 F821 undefined name 'd'",
    ],
    "class A:\n    y = 1\n    def f(self):\n        return y\n": ["4:16 F821 undefined name 'y'"],
    "[i for i in range(3)]\nprint(i)\n": ["2:7 F821 undefined name 'i'"],
    "def f():\n    local = 1\nprint(local)\n": ["3:7 F821 undefined name 'local'"],
    '__all__ = ["f", "g"]\ndef f(): pass\n': ["1:17 F822 undefined name 'g' in __all__"],
    "def f(a, a): pass\n": ["1:10 F831 duplicate argument 'a' in function definition"],
    "lambda a, *, a: 0\n": ["1:14 F831 duplicate argument 'a' in function definition"],
}
QUIET = [
    "from os import *\nprint(listdir)\n",
    'exec("x = 1")\nprint(x)\n',
    'globals()["x"] = 1\nprint(x)\n',
    "def f():\n    global x\n    x = 1\nprint(x)\n",
    "try:\n    unicode\nexcept NameError:\n    unicode = str\n",
    "if 1:\n    x = 1\nprint(x)\n",
    "print(__file__, __name__, __doc__, WindowsError)\n",
    "class A:\n    x = 1\n    y = [x for _ in range(x)]\n    print(__module__, __qualname__)\n    def f(self): return __class__\n",
    "import a.b.c\nimport d as e\nprint(a, e)\n",
    "def f():\n    x = 1\n    def g():\n        nonlocal x\n        x += 1\n    del x\n",
    "print([y := 1, y], (lambda *a, **k: (a, k)))\nwhile (n := 1):\n    print(n)\n",
    'for i, (j, *k) in []:\n    print(i, j, k)\nwith open("f") as g, open("h") as (h, m):\n    print(g, h, m)\n',
    "try:\n    pass\nexcept ValueError as e:\n    print(e)\n",
    "{a: b for a, b in {}.items() for c in a if c}\n",
    '__all__ = ["x"]\ndef __getattr__(name): pass\n',
    'x: "Undefined" = 1\ny = x  # type: Undefined\n',
    "async def f():\n    async for x in f():\n        await x\n    return [z async for z in f()]\n",
]


@pytest.mark.parametrize("program", UNDEFINED)
def test_finds_names_that_are_nowhere_defined(program: str) -> None:
    assert check(program) == UNDEFINED[program]


@pytest.mark.parametrize("program", QUIET)
def test_keeps_quiet_about_names_that_may_be_defined(program: str) -> None:
    assert check(program) == []


@pytest.mark.parametrize(
    ("program", "codes"),
    [
        ("def f():\nreturn x\n", ["E999"]),
        ("x = (1,\n", ["E999"]),
        ("  x = y\n", ["E999"]),
        ("if x:\n\ty\n        z\n", ["E999"]),
        ('x = "\n', ["E999"]),
        ("a\0b\n", ["E999"]),
        ("# coding: nonsense\nx = 1\n", ["E902"]),
        ("return\n", []),
    ],
)
def test_reports_what_cannot_be_parsed_and_only_that(program: str, codes: list[str]) -> None:
    assert [problem.split(" ")[1] for problem in check(program)] == codes


def test_tells_where_and_why_a_line_cannot_be_parsed() -> None:
    (problem,) = check("  x = y\n")
    assert re.fullmatch(r"1:\d E999 IndentationError: unexpected indent", problem)


@pytest.mark.parametrize(
    "program",
    [
        pytest.param("x = " + "(" * 5000 + ")" * 5000 + "\n", id="brackets"),
        pytest.param("x = " + "-" * 20_000 + "1\n", id="signs"),
        pytest.param("x = a" + ".b" * 5000 + "\n", id="attributes"),
    ],
)
def test_gives_up_on_what_is_nested_too_deeply_instead_of_failing(program: str) -> None:
    assert all(re.search("E999|F821", problem) for problem in check(program))
