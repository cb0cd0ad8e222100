"""What `bench tasks new` begins tasks with."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from mypy import api

REPOSITORY = Path(__file__).parents[3]
TEMPLATES = sorted((REPOSITORY / "configs/templates").glob("*/**/*.py"))


def test_use_the_package_as_its_types_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checked = []
    for file in TEMPLATES:
        if file.parent.name in ("starter", "oracle"):
            continue
        # All are called referee.py.
        name = "_".join(file.relative_to(REPOSITORY / "configs/templates").parts)
        checked.append(str(shutil.copy(file, tmp_path / name)))
    assert len(checked) >= 5
    monkeypatch.setenv("MYPYPATH", str(REPOSITORY / "images/evaluator"))
    options = [
        "--check-untyped-defs",
        "--no-error-summary",
        f"--cache-dir={REPOSITORY}/.bench/python-tools/mypy-templates",
        "--disable-error-code=import-not-found",
    ]
    assert api.run([*options, "--config-file=", *checked])[:2] == ("", "")
