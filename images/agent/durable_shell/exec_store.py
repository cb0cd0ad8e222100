"""`execs/<key>/` in the control directory: claims and outcomes like those of steps, and the two
streams. `incoming/` holds what clients hand in as stdin.
"""

from __future__ import annotations

import json
import os
import re
from collections import deque
from collections.abc import Iterable
from typing import Any

from . import limits
from .step_store import StepStore, read_file

_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_REQUEST, _OUTCOME = "request.json", "outcome.json"
STREAMS = ("stdout", "stderr")
NO_LONGER_KEPT = "its output is no longer kept"


class ExecStore:
    def __init__(self, files: StepStore) -> None:
        self._files = files
        for directory in ("execs", "incoming"):
            files.make_dir(directory)
        # Finished ones, oldest first, with the bytes of their streams.
        self._kept = deque(
            sorted(
                ((key, _bytes_of(key)) for key in os.listdir("execs") if self.finished(key)),
                key=lambda one: os.stat(_path(one[0], _OUTCOME)).st_mtime,
            )
        )
        self._kept_bytes = sum(size for _, size in self._kept)

    @staticmethod
    def names(key: str) -> bool:
        return _KEY.fullmatch(key) is not None

    def claim(self, key: str) -> bool:
        """True: the exec is ours to run. False: it was handed over before."""
        return self._files.make_dir(f"execs/{key}")

    def claimed(self, key: str) -> bool:
        return os.path.exists(f"execs/{key}")

    def give_up(self, key: str) -> None:
        """The claim of an exec of which nothing ran."""
        self._remove(key, (*STREAMS, _REQUEST))
        os.rmdir(f"execs/{key}")

    def _remove(self, key: str, names: Iterable[str]) -> None:
        for name in names:
            if os.path.exists(_path(key, name)):
                os.unlink(_path(key, name))

    def started(self, key: str, request: dict[str, Any]) -> None:
        self._files.write(_path(key, _REQUEST), json.dumps(request).encode())

    def request(self, key: str) -> dict[str, Any]:
        """Empty: it was claimed, and died before it was written."""
        try:
            found: dict[str, Any] = json.loads(read_file(_path(key, _REQUEST)))
            return found
        except (OSError, ValueError):
            return {}

    def stream(self, key: str, name: str) -> int:
        """A new file."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(_path(key, name), flags, 0o600)
        self._files.give_away(_path(key, name))
        return descriptor

    def finish(self, key: str, outcome: dict[str, Any]) -> None:
        """The first one stays: somebody may have read it."""
        if not self.finished(key):
            self._write_outcome(key, outcome)

    def _write_outcome(self, key: str, outcome: dict[str, Any]) -> None:
        self._files.write_whole(_path(key, _OUTCOME), json.dumps(outcome).encode())

    def finished(self, key: str) -> bool:
        return os.path.exists(_path(key, _OUTCOME))

    def unfinished(self) -> list[str]:
        return [key for key in sorted(os.listdir("execs")) if not self.finished(key)]

    def keep(self, key: str) -> None:
        """A finished one. The oldest streams go when there are too many bytes of all."""
        self._kept.append((key, _bytes_of(key)))
        self._kept_bytes += self._kept[-1][1]
        while self._kept_bytes > limits.EXEC_KEPT_BYTES:
            oldest, size = self._kept.popleft()
            self._kept_bytes -= size
            if size > 0:
                self._write_outcome(oldest, {"lost": True, "why": NO_LONGER_KEPT})
                self._remove(oldest, STREAMS)

    def take_stdin(self, key: str, name: str | None) -> int | None:
        """Opened, with no name any more. Whatever else came in for this key is removed."""
        opened = None
        if name is not None:
            flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
            opened = os.open(f"incoming/{os.path.basename(name)}", flags)
        self.drop_stdin(key)
        return opened

    def drop_stdin(self, key: str) -> None:
        for name in os.listdir("incoming"):
            if name.rpartition(".")[0] == key:
                os.unlink(f"incoming/{name}")


def _path(key: str, name: str) -> str:
    return f"execs/{key}/{name}"


def _bytes_of(key: str) -> int:
    sizes = 0
    for name in STREAMS:
        try:
            sizes += os.stat(_path(key, name)).st_size
        except FileNotFoundError:
            pass
    return sizes
