"""What ended execs leave is bounded, and an exec whose output is dropped never looks as if it had
printed nothing.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from durable_shell import limits
from durable_shell.exec_store import STREAMS, ExecStore
from durable_shell.step_store import StepStore


@pytest.fixture(autouse=True)
def control(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(limits, "EXEC_KEPT_BYTES", 10)
    return tmp_path


def end(store: ExecStore, key: str, output: bytes) -> None:
    assert store.claim(key)
    for name in STREAMS:
        file = store.stream(key, name)
        os.write(file, output if name == "stdout" else b"")
        os.close(file)
    store.finish(key, {"exitCode": 0})
    os.utime(f"execs/{key}/outcome.json", (len(os.listdir("execs")),) * 2)
    store.keep(key)


def outcome(control: Path, key: str) -> dict[str, object]:
    found: dict[str, object] = json.loads((control / "execs" / key / "outcome.json").read_text())
    return found


def test_the_oldest_output_goes_and_says_so(control: Path) -> None:
    store = ExecStore(StepStore())
    end(store, "a", b"12345")
    end(store, "silent", b"")
    end(store, "b", b"12345")
    assert outcome(control, "a") == {"exitCode": 0}
    end(store, "c", b"1")
    assert outcome(control, "a")["lost"] is True
    assert outcome(control, "silent") == outcome(control, "b") == {"exitCode": 0}
    assert not store.claim("a")


def test_a_restarted_supervisor_goes_on_counting(control: Path) -> None:
    files = StepStore()
    end(ExecStore(files), "a", b"12345")
    end(ExecStore(files), "b", b"12345")
    end(ExecStore(files), "c", b"1")
    assert outcome(control, "a")["lost"] is True
    assert outcome(control, "b") == {"exitCode": 0}


def test_the_first_outcome_stays(control: Path) -> None:
    store = ExecStore(StepStore())
    store.claim("a")
    store.finish("a", {"lost": True, "why": "restarted"})
    store.finish("a", {"exitCode": 0})
    assert outcome(control, "a")["lost"] is True


def test_stdin_is_taken_once_and_what_came_in_twice_is_removed(control: Path) -> None:
    store = ExecStore(StepStore())
    for name in ("a.1", "a.2", "a.b.1"):
        (control / "incoming" / name).write_text("said")
    opened = store.take_stdin("a", "a.1")
    assert opened is not None
    assert os.read(opened, 10) == b"said"
    os.close(opened)
    assert os.listdir("incoming") == ["a.b.1"]


@pytest.mark.parametrize("key", ["", ".", "..", "../a", "a/b", "-a", "a" * 129, "a\n"])
def test_a_key_names_one_folder(key: str) -> None:
    assert not ExecStore.names(key)
