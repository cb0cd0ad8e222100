"""What the editor remembers between commands.

The file is the agent's own: whatever is wrong with it counts as nothing open.
"""

from __future__ import annotations

import json
import os
import stat

from . import place

_FILE = "state.json"
_MOST_BYTES = 64 * 1024
_LONGEST_PATH = 4096
_MOST_LINES = 10**12


class State:
    def __init__(
        self, open_file: str | None = None, current_line: int = 0, scrolls: int = 0
    ) -> None:
        self.open_file = open_file
        # The middle of the window.
        self.current_line = current_line
        # Scrolls in a row.
        self.scrolls = scrolls


def load() -> State:
    try:
        descriptor = os.open(
            os.path.join(place.state_dir(), _FILE), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
        )
    except OSError:
        return State()
    with open(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return State()
        content = file.read(_MOST_BYTES + 1)
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        return State()
    return _checked(found) if len(content) <= _MOST_BYTES else State()


def _checked(found: object) -> State:
    if not isinstance(found, dict):
        return State()
    path, line, scrolls = (
        found.get("openFile"),
        found.get("currentLine", 0),
        found.get("scrolls", 0),
    )
    if path is not None and (
        not isinstance(path, str)
        or not path.startswith("/")
        or "\0" in path
        or len(path) > _LONGEST_PATH
    ):
        return State()
    for number in (line, scrolls):
        if type(number) is not int or not 0 <= number <= _MOST_LINES:
            return State()
    return State(path, line, scrolls)


def save(state: State) -> None:
    """Raises OSError."""
    directory = place.state_dir()
    os.makedirs(directory, mode=0o700, exist_ok=True)
    content = {
        "openFile": state.open_file,
        "currentLine": state.current_line,
        "scrolls": state.scrolls,
    }
    temporary = os.path.join(directory, f"{_FILE}.{os.getpid()}")
    try:
        # A name of ours that exists is a leftover, or bait.
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
        with open(os.open(temporary, flags, 0o600), "w", encoding="ascii") as file:
            json.dump(content, file)
        os.replace(temporary, os.path.join(directory, _FILE))
    except OSError:
        try:
            os.unlink(temporary)
        except OSError:
            pass
        raise
