"""view_file, write_file, str_replace: files by path and exact text, without an open file."""

from __future__ import annotations

import os
import sys

from . import text_file
from .editor import number
from .failure import Failure, UsageError
from .text_file import TextFile

_MOST_BODY = 16 * 1024 * 1024
_MOST_LINES = 2000
_LONGEST_LINE = 5000
_CONTEXT = 4


def view_file(arguments: list[str]) -> None:
    if not 1 <= len(arguments) <= 3 or arguments[0] == "":
        raise UsageError()
    first, last = (_line(arguments, 1), _line(arguments, 2))
    file = text_file.load(arguments[0], arguments[0])
    start = 1 if first is None else max(first, 1)
    end = file.total if last is None else min(last, file.total)
    if file.total == 0:
        print(f"{arguments[0]} is empty.")
        return
    if start > end:
        raise Failure(f"Error: {arguments[0]} has {file.total} lines: there are none to show.")
    shown = min(end, start + _MOST_LINES - 1)
    _show(file, start, shown)
    if shown < end:
        print(f"({end - shown} more lines: name a first and a last line)")


def _line(arguments: list[str], at: int) -> int | None:
    """A tool call without a line may leave an empty word."""
    text = arguments[at] if len(arguments) > at else ""
    line = number(text)
    if text != "" and line is None:
        raise UsageError("Error: first_line and last_line must be numbers")
    return line


def _show(file: TextFile, first: int, last: int) -> None:
    for at, line in enumerate(file.lines(first, last)):
        text = line[:_LONGEST_LINE].decode("utf-8", "replace")
        print(f"{first + at:6}\t{text}{'…' if len(line) > _LONGEST_LINE else ''}")


def write_file(arguments: list[str]) -> None:
    if len(arguments) != 1 or arguments[0] == "":
        raise UsageError()
    path = arguments[0]
    body = sys.stdin.buffer.read(_MOST_BODY + 1)
    if len(body) > _MOST_BODY:
        raise Failure(f"Error: more than {_MOST_BODY} bytes of text; nothing was written.")
    if os.path.isdir(path):
        raise Failure(f"Error: {path} is a directory.")
    existed = os.path.exists(path)
    try:
        os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
        if not existed:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
    except OSError as error:
        raise Failure(f"Error: {path} could not be made: {error.strerror}.", 1) from None
    file = TextFile(os.path.realpath(path), body)
    _write(file, path)
    print(f"{'Replaced' if existed else 'Made'} {path}: {file.total} lines.")


def str_replace(arguments: list[str]) -> None:
    if len(arguments) != 3 or arguments[0] == "":
        raise UsageError()
    name, old, new = arguments
    if old == "":
        raise UsageError("Error: old_text is empty; write_file makes a file")
    file = text_file.load(os.path.realpath(name), name)
    wanted, given = (os.fsencode(text) for text in (old, new))
    if wanted not in file.content and b"\r\n" in file.content:
        wanted, given = (text.replace(b"\n", b"\r\n") for text in (wanted, given))
    count = file.content.count(wanted)
    if count == 0:
        raise Failure(
            f"Error: old_text is not in {name}, and nothing was changed. "
            "It must be the same as in the file, with all blanks and line ends."
        )
    if count > 1:
        raise Failure(
            f"Error: old_text is in {name} {count} times ({_places(file.content, wanted)}), and nothing was changed. "
            "Add lines around it, so that it is there once."
        )
    at = file.content.index(wanted)
    changed = TextFile(file.path, file.content[:at] + given + file.content[at + len(wanted) :])
    _write(changed, name)
    first = file.content.count(b"\n", 0, at) + 1
    last = first + given.count(b"\n")
    print(f"Changed {name}. The lines around it are now:")
    _show(changed, max(1, first - _CONTEXT), min(changed.total, last + _CONTEXT))


_MOST_PLACES = 10


def _places(content: bytes, wanted: bytes) -> str:
    lines: list[str] = []
    at = content.find(wanted)
    while at != -1 and len(lines) < _MOST_PLACES:
        lines.append(str(content.count(b"\n", 0, at) + 1))
        at = content.find(wanted, at + 1)
    return f"lines {', '.join(lines)}{' and more' if at != -1 else ''}"


def _write(file: TextFile, name: str) -> None:
    try:
        if text_file.is_read_only(file.path):
            raise Failure(f"Error: {name} is read-only and cannot be changed.", 1)
        file.write()
    except OSError as error:
        raise Failure(
            f"Error: {name} could not be written and is unchanged: {error.strerror}.", 1
        ) from None
