"""What a task's author sees of a referee that failed: the exception, and where it was raised."""

from __future__ import annotations

import os
import traceback

LIMIT = 500


def fault(error: BaseException, folder: str) -> str:
    """`referee.py:41: ValueError: …`: the last place in a file of the folder, on one line."""
    what = " ".join("".join(traceback.format_exception_only(type(error), error)[-1:]).split())
    place = _place(error, folder)
    line = f"{place}: {what}" if place else what
    return line if len(line) <= LIMIT else line[:LIMIT] + "..."


def _place(error: BaseException, folder: str) -> str | None:
    places = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    if isinstance(error, SyntaxError) and error.filename is not None:
        places.append((error.filename, error.lineno))
    for path, line in reversed(places):
        if os.path.dirname(path) == folder or path.startswith(folder + os.sep):
            return f"{os.path.relpath(path, folder)}:{line}"
    return None
