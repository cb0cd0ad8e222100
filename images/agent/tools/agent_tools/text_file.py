"""Reading and replacing the files of the agent: never blocks, bounded, and a failed write leaves
the old content.
"""

from __future__ import annotations

import os
import stat

from . import words
from .failure import Failure

MOST_BYTES = 64 * 1024 * 1024
_BLOCK = 256 * 1024


def open_regular(path: str) -> int:
    """A descriptor of a regular file.

    Raises OSError, also for what is not a regular file (FIFOs, devices, directories).
    """
    # Not blocking: a FIFO would wait for its writer.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise OSError(0, "not a regular file")


def load(path: str, shown: str) -> TextFile:
    """`shown` is the name under which the agent knows it. Raises Failure."""
    try:
        found = os.stat(path)
        if stat.S_ISDIR(found.st_mode):
            raise Failure(
                words.say(
                    f"Error: {shown} is a directory. Use cd to go there, or ls to list it.",
                    f"Error: {shown} is a directory. You can only open files. Use cd or ls to navigate directories.",
                )
            )
        if not stat.S_ISREG(found.st_mode):
            raise Failure(f"Error: {shown} is not a regular file.")
        if found.st_size > MOST_BYTES:
            raise Failure(
                f"Error: {shown} has {found.st_size} bytes, more than the {MOST_BYTES} that the editor takes. "
                f"Look at a part of it, for example with head -n, tail -n or sed -n."
            )
        with open(open_regular(path), "rb") as file:
            content = file.read(MOST_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        raise Failure(f"File {shown} not found") from None
    except PermissionError:
        raise Failure(f"Error: {shown} cannot be read: permission denied.") from None
    except OSError as error:
        raise Failure(f"Error: {shown} cannot be read: {error.strerror or error}.", 1) from None
    if len(content) > MOST_BYTES:
        raise Failure(
            f"Error: {shown} is longer than the {MOST_BYTES} bytes that the editor takes."
        )
    return TextFile(path, content)


class TextFile:
    """Bytes that know their lines.

    A line ends with a newline; what follows the last newline, if anything, is a line too.
    """

    def __init__(self, path: str, content: bytes) -> None:
        self.path = path
        self.content = content
        self.total = content.count(b"\n") + (1 if content and not content.endswith(b"\n") else 0)

    def offset(self, line: int) -> int:
        """Where a line (from 1) begins; the end of the content for lines beyond it."""
        missing, at = line - 1, 0
        if missing >= self.total:
            return len(self.content)
        while missing > 0:
            inside = self.content.count(b"\n", at, at + _BLOCK)
            if inside < missing:
                missing -= inside
                at += _BLOCK
                continue
            while missing > 0:
                at = self.content.index(b"\n", at) + 1
                missing -= 1
        return at

    def lines(self, first: int, last: int) -> list[bytes]:
        """Without their newlines."""
        part = self.content[self.offset(first) : self.offset(last + 1)]
        if not part:
            return []
        return (part[:-1] if part.endswith(b"\n") else part).split(b"\n")

    def replaced(self, first: int, after: int, body: bytes) -> TextFile:
        """With `body` (whole lines, or empty) instead of the lines from `first` up to but without
        `after`.
        """
        head, tail = (
            self.content[: self.offset(first)],
            self.content[self.offset(max(first, after)) :],
        )
        body = self._with_own_line_ends(body)
        if head and body and not head.endswith(b"\n"):
            head += b"\n"
        return TextFile(self.path, head + body + tail)

    def _with_own_line_ends(self, body: bytes) -> bytes:
        if self.content.count(b"\r\n") * 2 <= self.content.count(b"\n"):
            return body
        return body.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")

    def write(self) -> None:
        """Replace the file on disk in one step; mode and owner stay.

        Raises OSError, and then the old content is there.
        """
        found = os.stat(self.path)
        directory, name = os.path.split(self.path)
        temporary = os.path.join(directory, f".{name[:100]}.{os.getpid()}.tmp")
        try:
            descriptor = os.open(
                temporary,
                os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC,
                0o600,
            )
        except PermissionError:
            self._write_in_place()
            return
        try:
            with open(descriptor, "wb") as file:
                file.write(self.content)
                file.flush()
                if (found.st_uid, found.st_gid) != (os.geteuid(), os.getegid()):
                    _keep_owner(descriptor, found)
                os.fchmod(descriptor, stat.S_IMODE(found.st_mode))
            os.replace(temporary, self.path)
        except BaseException:
            os.unlink(temporary)
            raise

    def _write_in_place(self) -> None:
        """In a directory where nothing may be made.

        Space is taken before anything is overwritten.
        """
        descriptor = os.open(self.path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "r+b", buffering=0) as file:
            before = os.fstat(descriptor).st_size
            if len(self.content) > before:
                try:
                    os.posix_fallocate(descriptor, before, len(self.content) - before)
                except OSError:
                    os.ftruncate(descriptor, before)
                    raise
            rest = memoryview(self.content)
            while rest:
                rest = rest[file.write(rest) :]
            os.ftruncate(descriptor, len(self.content))


def _keep_owner(descriptor: int, found: os.stat_result) -> None:
    try:
        os.fchown(descriptor, found.st_uid, found.st_gid)
    except PermissionError:
        pass  # another user's file in a directory of ours: it becomes ours, as with any editor


def is_read_only(path: str) -> bool:
    """Also for root, whom no mode keeps from writing."""
    return os.stat(path).st_mode & 0o222 == 0 or not os.access(path, os.W_OK)
