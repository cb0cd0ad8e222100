"""view_image: an image file for the model.

The command leaves a copy under its hash and prints a line with it; who runs the sandbox takes the
copy, checks what it is, and shows it to the model.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import sys

from . import place, text_file
from .failure import Failure, UsageError

MOST_BYTES = 3 * 1024 * 1024
_ID = re.compile(r"[0-9a-f]{16}")


def view_image(arguments: list[str]) -> None:
    if len(arguments) == 2 and arguments[0] == "--bytes":
        _hand_over(arguments[1])
        return
    if len(arguments) != 1 or arguments[0] == "":
        raise UsageError()
    leave(_load(arguments[0]), arguments[0])


def leave(content: bytes, name: str) -> None:
    """Keep a copy, and print the line that announces it."""
    identity = hashlib.sha256(content).hexdigest()[:16]
    os.makedirs(_folder(), mode=0o700, exist_ok=True)
    path = os.path.join(_folder(), identity)
    with open(f"{path}.tmp", "wb") as file:
        file.write(content)
    os.replace(f"{path}.tmp", path)
    shown = "".join(sign if sign.isprintable() else "?" for sign in name)[:200]
    print(f"[image file {identity}: {shown}, {len(content)} bytes]")


def _folder() -> str:
    return os.path.join(place.state_dir(), "images")


def _load(path: str) -> bytes:
    try:
        found = os.stat(path)
        if not stat.S_ISREG(found.st_mode):
            raise Failure(f"Error: {path} is not a regular file.")
        if found.st_size > MOST_BYTES:
            raise _too_large(path, found.st_size)
        with open(text_file.open_regular(path), "rb") as file:
            content = file.read(MOST_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        raise Failure(f"Error: there is no file {path}.") from None
    except PermissionError:
        raise Failure(f"Error: {path} cannot be read: permission denied.") from None
    if len(content) > MOST_BYTES:
        raise _too_large(path, len(content))
    return content


def _too_large(path: str, size: int) -> Failure:
    return Failure(
        f"Error: {path} has {size} bytes, and an image may have {MOST_BYTES}. "
        "Save it smaller, for example with a lower dpi."
    )


def _hand_over(identity: str) -> None:
    """The copy goes: it would fill the agent's disk."""
    if _ID.fullmatch(identity) is None:
        raise UsageError()
    path = os.path.join(_folder(), identity)
    with open(text_file.open_regular(path), "rb") as file:
        sys.stdout.buffer.write(file.read(MOST_BYTES + 1))
    sys.stdout.buffer.flush()
    os.unlink(path)
