"""Starter files are the agent's, also when a copy of them was cut off."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from durable_shell import starter

AGENT = 10001

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "starter"
    (path / "data").mkdir(parents=True)
    (path / "data" / "rows.csv").write_text("1,2\n")
    return path


@needs_root
def test_folders_that_a_copy_left_before_it_gave_them_away_are_the_agents(
    tmp_path: Path, source: Path
) -> None:
    target = tmp_path / "workspace"
    (target / "data").mkdir(parents=True, mode=0o700)
    starter.copy(str(source), str(target), AGENT)
    for path in (target, target / "data", target / "data" / "rows.csv"):
        assert path.stat().st_uid == AGENT, path
    assert (target / "data").stat().st_mode & 0o777 == 0o755


@needs_root
def test_folders_of_the_agent_stay_as_they_are(tmp_path: Path, source: Path) -> None:
    target = tmp_path / "workspace"
    target.mkdir(mode=0o700)
    os.chown(target, AGENT, AGENT)
    starter.copy(str(source), str(target), AGENT)
    assert target.stat().st_mode & 0o777 == 0o700
