"""The control directory: `steps/<n>/`, one per command ever handed over, and the carried state.

A step is claimed by `mkdir`, so it runs at most once whatever happens to whom; its outcome appears
whole, by rename. Files are given to the owner of the directory: the worker, which need not be root.
"""

from __future__ import annotations

import json
import os
from typing import Any

_REQUEST, _OUTCOME, _STATE = "request.json", "outcome.json", "state"
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC


class StepStore:
    """Paths are relative to the current directory, which is the control directory.

    A command's end waits for these files, so there are few of them, written with few system calls.
    """

    def __init__(self) -> None:
        stat = os.stat(".")
        self._owner = (stat.st_uid, stat.st_gid)
        self._foreign = os.geteuid() == 0 and self._owner != (0, 0)
        self._saved_state: bytes | None = None
        # No supervisor was here before.
        self.is_new = self.make_dir("steps")

    def give_away(self, path: str) -> None:
        if self._foreign:
            os.chown(path, *self._owner, follow_symlinks=False)

    def make_dir(self, path: str) -> bool:
        try:
            os.mkdir(path, 0o700)
        except FileExistsError:
            return False
        self.give_away(path)
        return True

    def write(self, path: str, content: bytes) -> None:
        descriptor = os.open(path, _WRITE, 0o600)
        try:
            view = memoryview(content)
            while view:
                view = view[os.write(descriptor, view) :]
            if self._foreign:
                os.fchown(descriptor, *self._owner)
        finally:
            os.close(descriptor)

    def write_whole(self, path: str, content: bytes) -> None:
        """All of it or nothing, for whoever reads or whenever we die."""
        self.write(f"{path}.tmp", content)
        os.rename(f"{path}.tmp", path)

    def claim(self, n: int) -> bool:
        """True: the step is ours to run. False: it was handed over before."""
        return self.make_dir(f"steps/{n}")

    def started(self, n: int, request: dict[str, Any]) -> None:
        """For people, and for a supervisor that finds our processes after us."""
        self.write(f"steps/{n}/{_REQUEST}", json.dumps(request).encode())

    def process(self, n: int) -> tuple[int, int] | None:
        """The shell of step n: process id and start time."""
        try:
            request = json.loads(read_file(f"steps/{n}/{_REQUEST}"))
            return int(request["pid"]), int(request["started"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def finish(self, n: int, outcome: dict[str, Any]) -> None:
        text = json.dumps(outcome, ensure_ascii=False)
        self.write_whole(f"steps/{n}/{_OUTCOME}", text.encode("utf-8", "replace"))

    def finished(self, n: int) -> bool:
        return os.path.exists(f"steps/{n}/{_OUTCOME}")

    def unfinished(self) -> list[int]:
        """Steps that were claimed and have no outcome: cut off with an earlier supervisor."""
        numbers = sorted(int(name) for name in os.listdir("steps") if name.isdigit())
        return [n for n in numbers if not self.finished(n)]

    def save_state(self, raw: bytes | None) -> None:
        if raw is None:
            if os.path.exists(_STATE):
                os.unlink(_STATE)
        elif raw != self._saved_state:
            self.write_whole(_STATE, raw)
        self._saved_state = raw

    def load_state(self) -> bytes | None:
        try:
            self._saved_state = read_file(_STATE)
        except OSError:
            self._saved_state = None
        return self._saved_state


def read_file(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()
