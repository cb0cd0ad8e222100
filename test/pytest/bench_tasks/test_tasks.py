"""The package as the tasks of this repository use it, and what `bench tasks new` begins them with."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from mypy import api

REPOSITORY = Path(__file__).parents[3]
CONFIGS = REPOSITORY / "configs"
# What agents write, or would write, is another matter.
FILES = sorted([*CONFIGS.glob("t*/*/prepare.py"), *CONFIGS.glob("t*/*/evaluator/*.py")])


def test_is_used_as_its_types_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(FILES) > 30
    # All are called referee.py or prepare.py: under their own names mypy would not know them apart.
    checked = [
        str(shutil.copy(file, tmp_path / f"_{'_'.join(file.relative_to(CONFIGS).parts)}"))
        for file in FILES
    ]
    monkeypatch.setenv("MYPYPATH", str(REPOSITORY / "images/evaluator"))
    options = [
        "--check-untyped-defs",
        "--no-error-summary",
        f"--cache-dir={REPOSITORY}/.bench/mypy-tasks",
        # NumPy, of any version or none, and modules beside a referee.
        "--no-site-packages",
        "--disable-error-code=import-not-found",
    ]
    assert api.run([*options, "--config-file=", *checked])[:2] == ("", "")
