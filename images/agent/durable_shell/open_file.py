"""Which file the agent's own tools have open: what they note in the agent's home, for the outcome
of each command.

The agent may write there whatever it likes, so only a small regular file of its own counts, and in
it only one string.
"""

from __future__ import annotations

import json
import os
import stat

from . import limits

_DIRECTORY, _FILE = ".bench", "state.json"


class OpenFile:
    def __init__(self, home: str, uid: int | None) -> None:
        self._directory = os.path.join(home, _DIRECTORY)
        self._path = os.path.join(self._directory, _FILE)
        self._uid = uid
        self._seen: tuple[int, ...] | None = None
        self._value: str | None = None

    def read(self) -> str | None:
        """None: no file is open, or what is noted is no such note.

        Costs one system call while nothing changes.
        """
        try:
            seen = _identity(os.lstat(self._path))
        except OSError:
            seen = None
        if seen != self._seen:
            self._seen = seen
            self._value = self._parse() if seen is not None else None
        return self._value

    def _parse(self) -> str | None:
        try:
            value = json.loads(self._content())["openFile"]
            if (
                not isinstance(value, str)
                or "\0" in value
                or len(value.encode()) > limits.OPEN_FILE_BYTES
            ):
                return None
            return value or None
        # Too deep, no object, no such key, lone surrogates, no such file any more.
        except (OSError, ValueError, LookupError, TypeError, RecursionError):
            return None

    def _content(self) -> bytes:
        directory = os.open(
            self._directory, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
        )
        try:
            # Not blocking, or a FIFO would hold us.
            flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
            descriptor = os.open(_FILE, flags, dir_fd=directory)
        finally:
            os.close(directory)
        try:
            found = os.fstat(descriptor)
            ours = stat.S_ISREG(found.st_mode) and (self._uid is None or found.st_uid == self._uid)
            if not ours or found.st_size > limits.NOTE_BYTES:
                raise ValueError("no note of the agent's tools")
            return os.read(descriptor, limits.NOTE_BYTES)
        finally:
            os.close(descriptor)


def _identity(found: os.stat_result) -> tuple[int, ...]:
    return (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
