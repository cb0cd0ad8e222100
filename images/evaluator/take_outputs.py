"""Copies what a program wrote to where it can no longer change, as data: regular files of the
declared names, nothing followed.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager

DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
CHUNK = 1024 * 1024


class Refused(Exception):
    """The outputs are not what the task asks for."""


def take_outputs(
    source: str,
    target: str,
    names: Iterable[str],
    limit: int,
    as_player: Callable[[], AbstractContextManager[None]],
) -> None:
    """Copy the named files; `limit`: most bytes in all; `as_player`: context in which the source
    may be opened.
    """
    os.mkdir(target)
    os.chmod(target, 0o755)
    room = limit
    for name in names:
        with as_player():
            opened = open_output(source, name)
        try:
            copy = os.path.join(target, name)
            os.makedirs(os.path.dirname(copy), mode=0o755, exist_ok=True)
            room -= copy_file(opened, copy, name, room, limit)
        finally:
            os.close(opened)
    for folder, _, _ in os.walk(target):
        os.chmod(folder, 0o755)


def open_output(source: str, name: str) -> int:
    """Each folder on the way is opened from the one before it."""
    here = os.open(source, DIRECTORY)
    try:
        parts = name.split("/")
        for depth, part in enumerate(parts):
            last = depth == len(parts) - 1
            found = os.stat(part, dir_fd=here, follow_symlinks=False)
            if not (stat.S_ISREG if last else stat.S_ISDIR)(found.st_mode):
                expected = "regular file" if last else "folder"
                raise Refused(
                    f"the output {'/'.join(parts[: depth + 1])} is a {kind(found)}, not a {expected}"
                )
            # Looked at first: opening some devices and FIFOs has effects of its own.
            inner = os.open(part, FILE if last else DIRECTORY, dir_fd=here)
            os.close(here)
            here = inner
        return here
    except FileNotFoundError:
        os.close(here)
        raise Refused(
            f"the program ended without writing {name} into the outputs folder (its second argument)"
        ) from None
    except OSError as error:
        os.close(here)
        raise Refused(f"the output {name} cannot be read: {error.strerror}") from None
    except Refused:
        os.close(here)
        raise


def copy_file(opened: int, copy: str, name: str, room: int, limit: int) -> int:
    found = os.fstat(opened)
    if not stat.S_ISREG(found.st_mode):
        raise Refused(f"the output {name} is a {kind(found)}, not a regular file")
    # By its claimed size: a sparse file counts in full.
    if found.st_size > room:
        raise Refused(f"the output {name}: more than {limit} bytes in all outputs")
    size = 0
    with open(copy, "xb") as file:
        while size <= room:
            data = os.read(opened, min(CHUNK, room + 1 - size))
            if not data:
                break
            size += len(data)
            file.write(data)
    if size > room:
        raise Refused(f"the output {name}: more than {limit} bytes in all outputs")
    os.chmod(copy, 0o444)
    return size


def kind(found: os.stat_result) -> str:
    for test, name in (
        (stat.S_ISLNK, "link"),
        (stat.S_ISDIR, "folder"),
        (stat.S_ISFIFO, "FIFO"),
        (stat.S_ISSOCK, "socket"),
        (stat.S_ISREG, "file"),
    ):
        if test(found.st_mode):
            return name
    return "device"
