"""A submission's files out of the workspace, as data.

Run as a program by the engine's exec, as root inside, where the worker cannot read the workspace
itself. The workspace is hostile: directories are opened one below the other and never through a
link, files without waiting for anybody, and what was opened is looked at, not what lay there
before. Needs nothing but the standard library.

stdout: for each file a line {"path", "size"} and its bytes; the last line says what it came to,
whatever was written before it: {"kind": "files"}, {"kind": "missing", "paths"} or {"kind":
"refused", "reason"}.
"""

from __future__ import annotations

import errno
import fnmatch
import json
import os
import stat
import sys
from typing import Any, BinaryIO

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# A FIFO does not keep us waiting, and a link is none.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_CHUNK = 256 * 1024


class Refused(Exception):
    """Its text is for people."""


class Collection:
    def __init__(self, plan: dict[str, Any], out: BinaryIO) -> None:
        self._plan = plan
        self._out = out
        self._room: int = plan["maxBytes"]
        self._entries_left: int | None = plan["maxFiles"]
        # By a pattern.
        self._matched: set[str] = set()

    def run(self) -> dict[str, Any]:
        missing: list[str] = []
        try:
            for path in self._plan["files"]:
                if not self._take(path):
                    missing.append(path)
            for path in self._plan["optional"]:
                for found_path in self._matching(path) if "*" in path else [path]:
                    self._take(found_path)
            for folder in self._plan["folders"]:
                found = self._names_below(folder)
                for path in found:
                    if not self._take(path):
                        raise Refused(f"{path} went away while it was read")
                if not found:
                    missing.append(f"{folder}/")
        except Refused as refusal:
            return {"kind": "refused", "reason": str(refusal)}
        return {"kind": "missing", "paths": missing} if missing else {"kind": "files"}

    def _count(self, entries: int, path: str) -> None:
        if self._entries_left is None:
            return
        self._entries_left -= entries
        if self._entries_left < 0:
            raise Refused(f"{path}: more than {self._plan['maxFiles']} files and folders in all")

    def _matching(self, pattern: str) -> list[str]:
        """Regular files of a pattern such as `*.py` that no other part of the plan takes."""
        *parts, last = pattern.split("/")
        directory = self._directory(parts)
        if directory is None:
            return []
        named = {*self._plan["files"], *self._plan["optional"]}
        found: list[str] = []
        try:
            with os.scandir(directory) as entries:
                for entry in entries:
                    path = "/".join([*parts, entry.name])
                    if (
                        path in named
                        or path in self._matched
                        or not entry.is_file(follow_symlinks=False)
                    ):
                        continue
                    if fnmatch.fnmatchcase(entry.name, last):
                        entry.name.encode("utf-8")
                        found.append(path)
        except UnicodeEncodeError:
            raise Refused(f"a file of {pattern} has a name that is not UTF-8") from None
        finally:
            os.close(directory)
        self._matched.update(found)
        return sorted(found)

    def _names_below(self, folder: str) -> list[str]:
        files: list[str] = []
        waiting = [folder]
        while waiting:
            path = waiting.pop()
            directory = self._directory(path.split("/"))
            if directory is None:
                if path == folder:
                    return []
                raise Refused(f"{path} went away while it was read")
            try:
                with os.scandir(directory) as entries:
                    for entry in entries:
                        try:
                            entry.name.encode("utf-8")
                        except UnicodeEncodeError:
                            raise Refused(f"{path} holds a file whose name is not UTF-8") from None
                        below = f"{path}/{entry.name}"
                        self._count(1, below)
                        (waiting if entry.is_dir(follow_symlinks=False) else files).append(below)
            finally:
                os.close(directory)
        # Counted already.
        self._count(-len(files), folder)
        return sorted(files)

    def _take(self, path: str) -> bool:
        """False: it is missing."""
        parts = path.split("/")
        directory = self._directory(parts[:-1])
        if directory is None:
            return False
        try:
            descriptor = _open(directory, parts[-1], _FILE, path, stat.S_ISREG, "a regular file")
        finally:
            os.close(directory)
        if descriptor is None:
            return False
        with open(descriptor, "rb", buffering=0) as file:
            size = os.fstat(descriptor).st_size
            self._count(1, path)
            self._room -= size
            if self._room < 0:
                raise Refused(f"{path}: more than {self._plan['maxBytes']} bytes in all")
            self._say({"path": path, "size": size})
            while size > 0:
                chunk = file.read(min(size, _CHUNK))
                if not chunk:
                    self._out.write(b"\0" * size)
                    raise Refused(f"{path} changes while it is read")
                self._out.write(chunk)
                size -= len(chunk)
        return True

    def _directory(self, parts: list[str]) -> int | None:
        try:
            found = os.open(self._plan["workspace"], _DIRECTORY)
        except OSError as error:
            if error.errno == errno.ENOENT:
                return None
            kind = _kind(os.lstat(self._plan["workspace"]).st_mode)
            raise Refused(f"the workspace is a {kind}, not a directory") from None
        for depth, part in enumerate(parts, 1):
            try:
                below = _open(
                    found, part, _DIRECTORY, "/".join(parts[:depth]), stat.S_ISDIR, "a directory"
                )
            finally:
                os.close(found)
            if below is None:
                return None
            found = below
        return found

    def _say(self, line: dict[str, Any]) -> None:
        self._out.write(json.dumps(line).encode() + b"\n")


def _open(directory: int, name: str, flags: int, path: str, right: Any, wanted: str) -> int | None:
    try:
        # Looked at first for the words, and again below for the truth.
        mode = os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode
        if not right(mode):
            raise Refused(f"{path} is a {_kind(mode)}, not {wanted}")
        descriptor = os.open(name, flags, dir_fd=directory)
    except FileNotFoundError:
        return None
    except OSError as error:
        code = errno.errorcode.get(error.errno or 0, "unknown")
        raise Refused(f"{path} cannot be opened as what it should be ({code})") from None
    mode = os.fstat(descriptor).st_mode
    if right(mode):
        return descriptor
    os.close(descriptor)
    raise Refused(f"{path} is a {_kind(mode)}, not {wanted}")


def _kind(mode: int) -> str:
    kinds = (
        (stat.S_ISLNK, "link"),
        (stat.S_ISDIR, "directory"),
        (stat.S_ISFIFO, "fifo"),
        (stat.S_ISSOCK, "socket"),
    )
    return next(
        (name for holds, name in kinds if holds(mode)), "file" if stat.S_ISREG(mode) else "device"
    )


def main() -> None:
    with os.fdopen(1, "wb", closefd=False) as out:
        out.write(json.dumps(Collection(json.loads(sys.argv[1]), out).run()).encode() + b"\n")


if __name__ == "__main__":
    main()
