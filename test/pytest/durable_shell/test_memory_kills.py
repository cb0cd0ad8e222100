"""A process that the memory limit ended is counted, whichever version of control groups counts it."""

from __future__ import annotations

from pathlib import Path

import pytest

from durable_shell.memory_kills import MemoryKills, kills_in

V2 = "low 0\nhigh 0\nmax 214\noom 3\noom_kill {}\noom_group_kill 0\n"
V1 = "oom_kill_disable 0\nunder_oom 0\noom_kill {}\n"
OLD_V1 = "oom_kill_disable 0\nunder_oom 0\n"


@pytest.mark.parametrize("text", [V2, V1])
def test_both_versions_are_read(text: str) -> None:
    assert kills_in(text.format(0)) == 0
    assert kills_in(text.format(17)) == 17


@pytest.mark.parametrize("text", [OLD_V1, "", "oom_kill\n", "oom_kill many\n", "oom_kill -1\n"])
def test_what_counts_nothing_is_unknown(text: str) -> None:
    assert kills_in(text) is None


@pytest.mark.parametrize("text", [V2, V1])
def test_each_kill_is_told_once(tmp_path: Path, text: str) -> None:
    counter = tmp_path / "counter"
    counter.write_text(text.format(2))
    kills = MemoryKills([str(tmp_path / "missing"), str(counter)])
    assert kills.since_last() == 0
    counter.write_text(text.format(5))
    assert kills.since_last() == 3
    assert kills.since_last() == 0


def test_a_counter_that_goes_away_tells_of_none(tmp_path: Path) -> None:
    counter = tmp_path / "counter"
    counter.write_text(V2.format(4))
    kills = MemoryKills([str(counter)])
    counter.unlink()
    assert kills.since_last() == 0
    counter.write_text(V2.format(1))
    assert kills.since_last() == 1


def test_a_host_without_counters_tells_of_none(tmp_path: Path) -> None:
    assert MemoryKills([str(tmp_path / "nothing"), str(tmp_path)]).since_last() == 0
