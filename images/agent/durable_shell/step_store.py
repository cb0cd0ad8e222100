"""The control directory: `steps/<n>/`, one per command ever handed over, and the carried state.

A step is claimed by `mkdir`, so it runs at most once whatever happens to whom; its outcome appears whole, by rename. Files
are given to the owner of the directory: the worker, which need not be root.
"""

from __future__ import annotations

import json
import os
from typing import Any

_CLAIM, _OUTCOME = "request.json", "outcome.json"


class StepStore:
    """Paths are relative to the current directory, which is the control directory."""

    def __init__(self) -> None:
        stat = os.stat(".")
        self._owner = (stat.st_uid, stat.st_gid)
        self._make_dir("steps")

    def give_away(self, path: str) -> None:
        if os.geteuid() == 0 and self._owner != (0, 0):
            os.chown(path, *self._owner, follow_symlinks=False)

    def _make_dir(self, path: str) -> bool:
        try:
            os.mkdir(path, 0o700)
        except FileExistsError:
            return False
        self.give_away(path)
        return True

    def _write(self, path: str, content: bytes) -> None:
        aside = f"{path}.tmp"
        descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
        with open(descriptor, "wb") as file:
            file.write(content)
        self.give_away(aside)
        os.rename(aside, path)

    def claim(self, n: int, request: dict[str, Any]) -> bool:
        """True: the step is ours to run. False: it was handed over before."""
        path = f"steps/{n}"
        if not self._make_dir(path):
            return False
        try:
            self._write(f"{path}/{_CLAIM}", json.dumps(request).encode())
        except OSError:
            # Not begun: the next handover may claim it.
            self._discard(path)
            raise
        return True

    def _discard(self, path: str) -> None:
        for name in os.listdir(path):
            os.unlink(f"{path}/{name}")
        os.rmdir(path)

    def started(self, n: int, pid: int, started: int) -> None:
        self._write(f"steps/{n}/process.json", json.dumps({"pid": pid, "started": started}).encode())

    def process(self, n: int) -> tuple[int, int] | None:
        try:
            with open(f"steps/{n}/process.json", "rb") as file:
                record = json.load(file)
            return int(record["pid"]), int(record["started"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def finish(self, n: int, outcome: dict[str, Any]) -> None:
        text = json.dumps(outcome, ensure_ascii=False)
        self._write(f"steps/{n}/{_OUTCOME}", text.encode("utf-8", "replace"))

    def finished(self, n: int) -> bool:
        return os.path.exists(f"steps/{n}/{_OUTCOME}")

    def unfinished(self) -> list[int]:
        """Steps that were claimed and have no outcome: cut off with an earlier supervisor."""
        numbers = sorted(int(name) for name in os.listdir("steps") if name.isdigit())
        return [n for n in numbers if not self.finished(n)]

    def save_state(self, raw: bytes | None) -> None:
        if raw is not None:
            self._write("state", raw)
        elif os.path.exists("state"):
            os.unlink("state")

    def load_state(self) -> bytes | None:
        try:
            with open("state", "rb") as file:
                return file.read()
        except OSError:
            return None
