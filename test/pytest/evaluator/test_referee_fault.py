"""What a task's author is told of a referee that failed."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from referee_fault import fault


def told(folder: Path, text: str) -> str:
    """Of what `evaluate(None)` of such a referee.py raises."""
    file = folder / "referee.py"
    file.write_text(text, "utf-8")
    spec = importlib.util.spec_from_file_location("referee", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.raises(Exception) as raised:
        spec.loader.exec_module(module)
        module.evaluate(None)
    return fault(raised.value, str(folder))


def test_the_exception_with_file_and_line(tmp_path: Path) -> None:
    text = "def evaluate(files):\n    return {}['label']\n"
    assert told(tmp_path, text) == "referee.py:2: KeyError: 'label'"


def test_the_last_line_of_the_task_where_a_library_raised(tmp_path: Path) -> None:
    text = "import json\n\ndef evaluate(files):\n    # comment\n    return json.loads('{')\n"
    assert told(tmp_path, text).startswith("referee.py:5: json.decoder.JSONDecodeError: Expecting")


def test_a_file_beside_the_referee(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "beside_the_referee.py").write_text("def half(x):\n    return x / 0\n", "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    text = "import beside_the_referee\n\ndef evaluate(files):\n    beside_the_referee.half(1)\n"
    expected = "beside_the_referee.py:2: ZeroDivisionError: division by zero"
    assert told(tmp_path, text) == expected


def test_a_syntax_error_where_it_is(tmp_path: Path) -> None:
    text = "\n\ndef evaluate(files)\n    pass\n"
    assert told(tmp_path, text) == "referee.py:3: SyntaxError: expected ':'"


def test_what_was_raised_nowhere_in_the_task_without_a_place(tmp_path: Path) -> None:
    wanted = "AttributeError: module 'referee' has no attribute 'evaluate'"
    assert told(tmp_path, "x = 1\n") == wanted


def test_one_line_of_bounded_length(tmp_path: Path) -> None:
    text = "def evaluate(files):\n    raise ValueError('one\\n two ' + 'x' * 9000)\n"
    found = told(tmp_path, text)
    assert found.startswith("referee.py:2: ValueError: one two xxx")
    assert len(found) < 520
    assert "\n" not in found
