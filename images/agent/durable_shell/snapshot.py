"""A sandbox's files and shell state as one compressed archive, and back.

Run as a program it writes the archive to stdout; the supervisor unpacks one at its first start
instead of the starter's files. The workspace is hostile both times: directories are opened one
below the other and never through a link, and what is unpacked is unpacked as the agent's user.
Needs nothing but the standard library, so that an engine's exec can start it alone.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import stat
import sys
import tarfile
from collections.abc import Iterator
from typing import Any, BinaryIO

# In the control directory: the archive to start from.
ARCHIVE = "restore.tar.gz"

# Files of the control directory that go along, in this order and before everything else, and the
# most that each may take.
_SHELL = (("state", 8 * 1024 * 1024), ("memory-added.json", 4 * 1024 * 1024))
_VIEW = "view"
_VIEW_BYTES = 64 * 1024

_MOST_ENTRIES = 500_000
_MOST_LEVELS = 200
_CHUNK = 256 * 1024
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class Refused(Exception):
    """Its text is for people."""


# -- making one


def write(plan: dict[str, Any], out: BinaryIO) -> None:
    """`plan`: control (directory), view (what the agent's paths are), places (name to directory),
    uid, maxBytes.

    Equal trees give equal bytes: names are sorted, and no time but the files' own is in it. Raises
    Refused and OSError.
    """
    packed = gzip.GzipFile(filename="", mode="wb", compresslevel=1, fileobj=_Out(out), mtime=0)
    with packed, tarfile.open(fileobj=packed, mode="w|", format=tarfile.PAX_FORMAT) as archive:
        _add_bytes(archive, f"shell/{_VIEW}", json.dumps(plan["view"], sort_keys=True).encode())
        for name, most in _SHELL:
            try:
                with open(os.path.join(plan["control"], name), "rb") as file:
                    content = file.read(most + 1)
            except FileNotFoundError:
                continue
            if len(content) > most:
                raise Refused(f"the shell's {name} takes more than {most} bytes")
            _add_bytes(archive, f"shell/{name}", content)
        owner = plan["uid"] if plan["uid"] is not None else os.geteuid()
        _Tree(archive, owner, plan["maxBytes"]).add_all(plan["places"])


class _Out:
    """What cannot be written is no fault of the file that was to be."""

    def __init__(self, out: BinaryIO) -> None:
        self._out = out

    def write(self, content: bytes) -> int:
        try:
            return self._out.write(content)
        except OSError as error:
            raise Refused(f"the archive cannot be written: {error}") from None

    def flush(self) -> None:
        pass


def _add_bytes(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = len(content), 0o600
    archive.addfile(entry, io.BytesIO(content))


class _Tree:
    def __init__(self, archive: tarfile.TarFile, owner: int, most_bytes: int) -> None:
        self._archive = archive
        self._owner = owner
        self._most_bytes = most_bytes
        self._bytes = 0
        self._entries = 0
        # First name of each file that has several.
        self._named: dict[tuple[int, int], str] = {}

    def add_all(self, places: dict[str, str]) -> None:
        # One may lie in another, which then leaves it out.
        inner = set(places.values())
        for name in sorted(places):
            try:
                top = os.open(places[name], _DIRECTORY)
            except OSError:
                # The agent put something else in its place; a new sandbox has an empty one.
                continue
            try:
                left_out = {
                    os.path.basename(p) for p in inner if os.path.dirname(p) == places[name]
                }
                self._add_directory(top, name, left_out)
            finally:
                os.close(top)

    def _add_directory(self, top: int, name: str, left_out: set[str]) -> None:
        # Not by recursion: the agent chooses the depth.
        levels: list[tuple[int, str, Iterator[str]]] = [
            (top, name, iter(sorted(set(os.listdir(top)) - left_out)))
        ]
        try:
            while levels:
                directory, path, names = levels[-1]
                child = next(names, None)
                if child is None:
                    levels.pop()
                    if directory != top:
                        os.close(directory)
                    continue
                below = self._add(directory, child, f"{path}/{child}")
                if below is None:
                    continue
                if len(levels) >= _MOST_LEVELS:
                    os.close(below)
                    raise Refused(f"directories are nested more than {_MOST_LEVELS} deep")
                levels.append((below, f"{path}/{child}", iter(sorted(os.listdir(below)))))
        finally:
            for directory, _, _ in levels:
                if directory != top:
                    os.close(directory)

    def _add(self, directory: int, name: str, path: str) -> int | None:
        """A descriptor of the directory that was added.

        What went meanwhile, or is nobody's business, is left out.
        """
        try:
            found = os.stat(name, dir_fd=directory, follow_symlinks=False)
            if found.st_uid != self._owner:
                return None
            if stat.S_ISDIR(found.st_mode):
                below = os.open(name, _DIRECTORY, dir_fd=directory)
                self._header(path, tarfile.DIRTYPE, found.st_mode)
                return below
            if stat.S_ISLNK(found.st_mode):
                self._header(path, tarfile.SYMTYPE, 0o777, os.readlink(name, dir_fd=directory))
            elif stat.S_ISREG(found.st_mode):
                self._add_file(directory, name, path)
        except OSError:
            pass
        return None

    def _header(self, path: str, kind: bytes, mode: int, target: str = "") -> None:
        self._count()
        entry = tarfile.TarInfo(path)
        # Set-id bits mean nothing in a sandbox.
        entry.type, entry.mode, entry.linkname = kind, mode & 0o1777, target
        self._archive.addfile(entry)

    def _count(self) -> None:
        self._entries += 1
        if self._entries > _MOST_ENTRIES:
            raise Refused(f"more than {_MOST_ENTRIES} files and directories")

    def _add_file(self, directory: int, name: str, path: str) -> None:
        descriptor = os.open(name, _FILE, dir_fd=directory)
        with open(descriptor, "rb", buffering=0) as file:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode) or found.st_uid != self._owner:
                return
            if found.st_nlink > 1:
                first = self._named.setdefault((found.st_dev, found.st_ino), path)
                if first != path:
                    self._header(path, tarfile.LNKTYPE, found.st_mode, first)
                    return
            # As it will lie there again: holes count.
            self._bytes += found.st_size
            if self._bytes > self._most_bytes:
                raise Refused(f"the files are more than {self._most_bytes} bytes long")
            self._count()
            entry = tarfile.TarInfo(path)
            entry.size, entry.mode, entry.mtime = (
                found.st_size,
                found.st_mode & 0o1777,
                found.st_mtime_ns / 1e9,
            )
            self._archive.addfile(entry, _Exactly(file, found.st_size))


class _Exactly:
    """A file that may grow or shrink while it is read, as one of a fixed size."""

    def __init__(self, file: Any, size: int) -> None:
        self._file = file
        self._left = size

    def read(self, size: int = 0, /) -> bytes:
        wanted = min(size, self._left)
        got = b""
        while len(got) < wanted:
            try:
                chunk = self._file.read(wanted - len(got))
            except OSError:
                chunk = b""
            got += chunk or b"\0" * (wanted - len(got))
        self._left -= len(got)
        return got


# -- unpacking one


def unpack(
    control: str, view: dict[str, str], places: dict[str, str], uid: int | None, most_bytes: int
) -> dict[str, bytes]:
    """Fill the places, emptied first, from the archive of the control directory. Gives the shell's
    files.

    `view`: the new sandbox's paths as its agent sees them: the old ones in the shell's state become
    these. Raises Refused and OSError.
    """
    path = os.path.join(control, ARCHIVE)
    shell = _shell_files(path, view)
    with open(path, "rb") as file:
        tops = {name: os.open(place, _DIRECTORY) for name, place in places.items()}
        try:
            inner = set(places.values())
            kept = {
                name: {os.path.basename(p) for p in inner if os.path.dirname(p) == places[name]}
                for name in places
            }
            _as_user(uid, lambda: _Unpacking(tops, most_bytes).run(file, kept))
        finally:
            for top in tops.values():
                os.close(top)
    return shell


def _shell_files(path: str, view: dict[str, str]) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    limits = {**dict(_SHELL), _VIEW: _VIEW_BYTES}
    with gzip.open(path, "rb") as packed, tarfile.open(fileobj=packed, mode="r|") as archive:
        for entry in archive:
            place, _, name = entry.name.partition("/")
            if place != "shell":
                break
            if name not in limits or not entry.isreg() or entry.size > limits[name]:
                raise Refused(f"{entry.name} is no part of a snapshot")
            content = archive.extractfile(entry)
            found[name] = content.read() if content is not None else b""
    before = json.loads(found.pop(_VIEW, b"{}"))
    if "state" in found:
        for name in sorted(before, key=lambda name: -len(before[name])):
            if name in view and before[name] != view[name]:
                found["state"] = found["state"].replace(
                    os.fsencode(before[name]), os.fsencode(view[name])
                )
    return found


def _as_user(uid: int | None, work: Any) -> None:
    """In a child that is the agent, or ourselves when there is no such user: no name in the archive
    can harm what is not its own.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        problem = "failed"
        try:
            os.close(reader)
            if uid is not None:
                os.setgroups([])
                os.setresgid(uid, uid, uid)
                os.setresuid(uid, uid, uid)
            os.umask(0o077)
            work()
            problem = ""
        except BaseException as error:
            problem = f"{type(error).__name__}: {error}"[:1000]
        finally:
            os.write(writer, problem.encode("utf-8", "replace"))
            os._exit(0 if problem == "" else 1)
    os.close(writer)
    with open(reader, "rb") as file:
        problem = file.read().decode("utf-8", "replace")
    if os.waitpid(child, 0)[1] != 0:
        raise Refused(f"the snapshot could not be unpacked: {problem or 'its process was killed'}")


class _Unpacking:
    def __init__(self, tops: dict[str, int], most_bytes: int) -> None:
        self._tops = tops
        self._left = most_bytes
        self._entries = 0
        # Directories on the way to the one that was used last, each with its descriptor.
        self._way: list[tuple[str, int]] = []

    def run(self, file: BinaryIO, kept: dict[str, set[str]]) -> None:
        for name, top in self._tops.items():
            _empty(top, kept[name])
        modes: list[tuple[list[str], int]] = []
        with gzip.open(file, "rb") as packed, tarfile.open(fileobj=packed, mode="r|") as archive:
            for entry in archive:
                parts = entry.name.split("/")
                if parts[0] == "shell":
                    continue
                self._check(entry, parts)
                directory = self._directory(parts[:-1])
                if entry.isdir():
                    os.mkdir(parts[-1], 0o700, dir_fd=directory)
                    modes.append((parts, entry.mode & 0o1777))
                elif entry.issym():
                    os.symlink(entry.linkname, parts[-1], dir_fd=directory)
                elif entry.islnk():
                    self._link(entry.linkname.split("/"), parts, directory)
                elif entry.isreg():
                    self._file(archive, entry, parts[-1], directory)
                else:
                    raise Refused(f"{entry.name!r} is neither file, directory nor link")
        # Children before their parents, which may lock them in.
        for parts, mode in reversed(modes):
            os.fchmod(self._directory(parts), mode)

    def _check(self, entry: tarfile.TarInfo, parts: list[str]) -> None:
        self._entries += 1
        if self._entries > _MOST_ENTRIES:
            raise Refused(f"more than {_MOST_ENTRIES} files and directories")
        _require_inside(entry.name, parts, self._tops)
        self._left -= entry.size
        if self._left < 0:
            raise Refused("it holds more bytes than the sandbox may")

    def _directory(self, parts: list[str]) -> int:
        """Each opened from the one above, so that no link leads elsewhere."""
        _require_inside("/".join(parts), [*parts, "x"], self._tops)
        below = parts[1:]
        if self._way and self._way[0][0] != parts[0]:
            self._leave(0)
        if not self._way:
            self._way.append((parts[0], self._tops[parts[0]]))
        depth = 0
        while (
            depth < len(below)
            and depth + 1 < len(self._way)
            and self._way[depth + 1][0] == below[depth]
        ):
            depth += 1
        self._leave(depth + 1)
        for name in below[depth:]:
            self._way.append((name, os.open(name, _DIRECTORY, dir_fd=self._way[-1][1])))
        return self._way[-1][1]

    def _leave(self, length: int) -> None:
        while len(self._way) > max(length, 0):
            _, descriptor = self._way.pop()
            if self._way:
                os.close(descriptor)

    def _link(self, source: list[str], parts: list[str], directory: int) -> None:
        _require_inside("/".join(source), source, self._tops)
        held = os.dup(directory)
        try:
            above = self._directory(source[:-1])
            os.link(source[-1], parts[-1], src_dir_fd=above, dst_dir_fd=held, follow_symlinks=False)
        finally:
            os.close(held)

    @staticmethod
    def _file(archive: tarfile.TarFile, entry: tarfile.TarInfo, name: str, directory: int) -> None:
        content = archive.extractfile(entry)
        descriptor = os.open(name, _NEW, 0o600, dir_fd=directory)
        with open(descriptor, "wb", buffering=0) as file:
            while content is not None and (chunk := content.read(_CHUNK)):
                view = memoryview(chunk)
                while view:
                    view = view[file.write(view) :]
            os.fchmod(descriptor, entry.mode & 0o1777)
            os.utime(descriptor, ns=(int(entry.mtime * 1e9), int(entry.mtime * 1e9)))


def _require_inside(name: str, parts: list[str], tops: dict[str, int]) -> None:
    if (
        len(parts) < 2
        or parts[0] not in tops
        or any(part in ("", ".", "..") or "\0" in part for part in parts)
    ):
        raise Refused(f"{name!r} lies outside")


def _empty(directory: int, kept: set[str]) -> None:
    for name in os.listdir(directory):
        if name in kept:
            continue
        try:
            if stat.S_ISDIR(os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode):
                below = os.open(name, _DIRECTORY, dir_fd=directory)
                try:
                    os.fchmod(below, 0o700)
                    _empty(below, set())
                finally:
                    os.close(below)
                os.rmdir(name, dir_fd=directory)
            else:
                os.unlink(name, dir_fd=directory)
        except OSError:
            # Not the agent's, as some things in a temporary directory.
            continue


def main() -> None:
    try:
        write(json.loads(sys.argv[1]), sys.stdout.buffer)
        sys.stdout.buffer.flush()
    except (Refused, OSError) as error:
        print(error, file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
