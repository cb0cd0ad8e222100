"""A sandbox without a network still has names for itself."""

from __future__ import annotations

from pathlib import Path

from durable_shell import hosts_file


def test_an_empty_file_gets_localhost_once(tmp_path: Path) -> None:
    path = tmp_path / "hosts"
    path.write_text("")
    hosts_file.ensure_localhost(str(path))
    hosts_file.ensure_localhost(str(path))
    lines = path.read_text().splitlines()
    assert lines[0] == "127.0.0.1 localhost"
    assert len(lines) == 3


def test_what_an_engine_wrote_stays(tmp_path: Path) -> None:
    path = tmp_path / "hosts"
    path.write_text("# localhost\n127.0.0.1\tlocalhost\n")
    hosts_file.ensure_localhost(str(path))
    assert path.read_text() == "# localhost\n127.0.0.1\tlocalhost\n"


def test_a_missing_file_is_made(tmp_path: Path) -> None:
    hosts_file.ensure_localhost(str(tmp_path / "hosts"))
    assert "::1 localhost" in (tmp_path / "hosts").read_text()
