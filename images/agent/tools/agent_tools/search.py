"""search_dir, search_file, find_file.

Bounded in time and output; nothing blocks, and links are not followed.
"""

from __future__ import annotations

import fnmatch
import os
import re
import signal
from collections.abc import Callable, Iterator

from . import basic_regex, text_file, words
from . import state as states
from .failure import Failure, UsageError

_MOST_FILES = 100
_MOST_LINES = 100
_MLGYM_MOST_LINES = 100_000
_MOST_FOUND = 1000
_LONGEST_LINE = 5000
_SECONDS = 60
_CHUNK = 4 * 1024 * 1024
# As grep: a NUL near the start means binary.
_PROBE = 32 * 1024
# Kernel interfaces look like files, and reading some of them waits or changes something.
_NOT_SEARCHED = ("/proc", "/sys", "/dev")


class _OutOfTime(Exception):
    pass


def search_dir(arguments: list[str]) -> None:
    if not 1 <= len(arguments) <= 2 or arguments[0] == "":
        raise UsageError()
    term = arguments[0]
    top = _directory(arguments[1:])
    matcher = _matcher(term)
    found: list[tuple[str, int]] = []

    def search() -> None:
        for path in _files(top, hidden=False):
            count = _count(path, matcher)
            if count > 0:
                found.append((path, count))
            if len(found) > _MOST_FILES:
                return

    complete = _in_time(search)
    if len(found) > _MOST_FILES:
        raise Failure(
            f'More than {_MOST_FILES} files matched for "{term}" in {top}. Please narrow your search.'
        )
    if not found:
        print(f'No matches found for "{term}" in {top}' + ("" if complete else _stopped()))
        return
    print(f'Found {sum(count for _, count in found)} matches for "{term}" in {top}:')
    for path, count in found:
        print(f"{path} ({count} matches)")
    print(f'End of matches for "{term}" in {top}' + ("" if complete else _stopped()))


def search_file(arguments: list[str]) -> None:
    if not 1 <= len(arguments) <= 2 or arguments[0] == "":
        raise UsageError()
    term = arguments[0]
    shown = arguments[1] if len(arguments) == 2 and arguments[1] != "" else None
    if shown is None:
        shown = states.load().open_file
        if shown is None:
            raise Failure(
                words.say(
                    "No file is open. Name the file to search, or use the open command first.",
                    "No file open. Use the open command first.",
                )
            )
    elif words.is_mlgym() and not os.path.isfile(shown):
        raise UsageError(f"Error: File name {shown} not found. Please provide a valid file name.")
    elif os.path.isdir(shown):
        raise Failure(f"Error: {shown} is a directory. Use search_dir to search all of its files.")
    path = os.path.realpath(shown)
    file = text_file.load(path, shown)
    matcher = _matcher(term)
    rows: list[str] = []
    # MLGym's limit never holds: it counts files.
    most = _MLGYM_MOST_LINES if words.is_mlgym() else _MOST_LINES

    def search() -> None:
        text = file.content.decode("utf-8", "replace")
        # Spelled out here, so that each line is looked at once however often it matches.
        number, at = 1, 0
        for start, end in matcher(text):
            number += text.count("\n", at, start)
            at = start
            rows.append(f"Line {number}:{_cut(text[start:end])}")
            if len(rows) > most:
                return

    complete = _in_time(search)
    if len(rows) > most:
        raise Failure(
            f'More than {_MOST_LINES} lines matched for "{term}" in {path}. Please narrow your search.'
        )
    if not rows:
        print(f'No matches found for "{term}" in {path}' + ("" if complete else _stopped()))
        return
    print(f'Found {len(rows)} matches for "{term}" in {path}:')
    print("\n".join(rows))
    print(f'End of matches for "{term}" in {path}' + ("" if complete else _stopped()))


def find_file(arguments: list[str]) -> None:
    if not 1 <= len(arguments) <= 2 or arguments[0] == "":
        raise UsageError()
    name = arguments[0]
    top = _directory(arguments[1:])
    fits = re.compile(fnmatch.translate(name)).match
    found: list[str] = []

    def search() -> None:
        found.extend(path for path in _files(top, hidden=True) if fits(os.path.basename(path)))

    complete = _in_time(search)
    if not found:
        print(f'No matches found for "{name}" in {top}' + ("" if complete else _stopped()))
        return
    print(f'Found {len(found)} matches for "{name}" in {top}:')
    print("\n".join(found[:_MOST_FOUND]))
    if len(found) > _MOST_FOUND:
        print(f"({len(found) - _MOST_FOUND} more)")
    if not complete:
        print(_stopped().strip())


def _directory(arguments: list[str]) -> str:
    name = arguments[0] if arguments and arguments[0] != "" else "."
    if not os.path.isdir(name):
        raise Failure(f"Directory {name} not found")
    path = os.path.realpath(name)
    if _is_kernel(path):
        raise Failure(f"Error: {path} belongs to the system and is not searched.")
    return path


def _is_kernel(path: str) -> bool:
    return any(path == top or path.startswith(top + "/") for top in _NOT_SEARCHED)


def _files(top: str, hidden: bool) -> Iterator[str]:
    """Regular files below, in order of their paths' names; with hidden ones or without what is
    hidden below `top`.
    """
    waiting = [iter(_entries(top, hidden))]
    while waiting:
        entry = next(waiting[-1], None)
        if entry is None:
            waiting.pop()
            continue
        try:
            if entry.is_dir(follow_symlinks=False):
                if not _is_kernel(entry.path):
                    waiting.append(iter(_entries(entry.path, hidden)))
            elif entry.is_file(follow_symlinks=False):
                yield entry.path
        except OSError:
            continue


def _entries(directory: str, hidden: bool) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(directory) as entries:
            chosen = [entry for entry in entries if hidden or not entry.name.startswith(".")]
    except OSError:
        # Unreadable, too deep, or gone meanwhile.
        return []
    return sorted(chosen, key=lambda entry: entry.name)


# The lines of a text that match, as (start, end).
_Matcher = Callable[[str], "Iterator[tuple[int, int]]"]


def _matcher(term: str) -> _Matcher:
    plain = not set(term) & set("\\[*.^$\n")
    try:
        search = None if plain else basic_regex.compile_pattern(term).search
    except basic_regex.InvalidPattern as error:
        raise Failure(
            f'Error: "{term}" is not a basic regular expression: {error}. Put a backslash before a sign that stands for itself.'
        ) from None

    def lines(text: str) -> Iterator[tuple[int, int]]:
        at = 0
        while at <= len(text):
            hit = _find(text, term, at) if search is None else _first(search(text, at))
            # An empty match after the last newline is on no line.
            if hit is None or (hit == len(text) and (hit == 0 or text[hit - 1] == "\n")):
                return
            start = text.rfind("\n", 0, hit) + 1
            end = text.find("\n", hit)
            end = len(text) if end < 0 else end
            yield start, end
            at = end + 1

    return lines


def _find(text: str, term: str, at: int) -> int | None:
    hit = text.find(term, at)
    return hit if hit >= 0 else None


def _first(match: re.Match[str] | None) -> int | None:
    return match.start() if match is not None else None


def _count(path: str, matcher: _Matcher) -> int:
    """Matching lines of a text file; 0 for a binary one and for one that cannot be read."""
    try:
        with open(text_file.open_regular(path), "rb") as file:
            content = file.read(_PROBE)
            if b"\0" in content:
                return 0
            count = 0
            while content:
                more = file.read(_CHUNK)
                rest = b""
                # Whole lines, unless one is longer than a chunk.
                cut = content.rfind(b"\n") + 1 if more else 0
                if cut > 0:
                    content, rest = content[:cut], content[cut:]
                count += sum(1 for _ in matcher(content.decode("utf-8", "surrogateescape")))
                content = rest + more
            return count
    except OSError:
        return 0


def _cut(line: str) -> str:
    line = line.replace("\0", "\ufffd")
    if len(line) <= _LONGEST_LINE:
        return line
    return f"{line[:_LONGEST_LINE]} [{len(line) - _LONGEST_LINE} more characters]"


def _in_time(work: Callable[[], None]) -> bool:
    """False if the work was stopped; what it had found by then counts.

    An expression can take forever on one line.
    """

    def stop(_number: int, _frame: object) -> None:
        raise _OutOfTime

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, _SECONDS)
    try:
        work()
        return True
    except _OutOfTime:
        return False
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _stopped() -> str:
    return f"\n(The search was stopped after {_SECONDS} seconds and is not complete. Please narrow it.)"
