"""The part of the open file that is shown: which lines, and how they are printed."""

from __future__ import annotations

import os

from .text_file import TextFile

# Longer lines are cut: nobody reads them, and one could fill an observation.
_LONGEST_LINE = 5000


def _setting(name: str, otherwise: int, least: int) -> int:
    text = os.environ.get(name, "")
    # A variable of the agent's shell: anything may be in it.
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        return otherwise
    return max(int(text), least)


def window_lines() -> int:
    return _setting("WINDOW", 1000, 2)


def overlap_lines() -> int:
    return _setting("OVERLAP", 2, 0)


def placed(line: int, window: int) -> int:
    """The middle of a window in which `line` stands one sixth below the top."""
    return max(line + window // 2 - window // 6, 1)


def constrained(middle: int, total: int, window: int) -> int:
    half = window // 2
    return max(min(middle, total - half), half)


def text(file: TextFile, middle: int, window: int) -> str:
    """Header, lines with numbers, and what is hidden above and below.

    Each line ends with a newline.
    """
    middle = constrained(middle, file.total, window)
    last = min(middle + window // 2, file.total)
    # Half of an odd window is rounded down at the top of the file, up elsewhere.
    first = max(middle - (window + 1) // 2 + 1, 1)
    rows: list[str] = [f"[File: {file.path} ({file.total} lines total)]"]
    if first > 1:
        rows.append(f"({first - 1} more lines above)")
    for number, line in enumerate(file.lines(first, last), first):
        rows.append(f"{number}:{_shown(line)}")
    if last < file.total:
        rows.append(f"({file.total - last} more lines below)")
    return "\n".join(rows) + "\n"


def _shown(line: bytes) -> str:
    # NUL is the one character that no log or database likes.
    content = line.decode("utf-8", "replace").replace("\0", "\ufffd")
    if len(content) <= _LONGEST_LINE:
        return content
    return f"{content[:_LONGEST_LINE]} [{len(content) - _LONGEST_LINE} more characters]"
