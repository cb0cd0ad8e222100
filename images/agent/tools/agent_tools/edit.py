"""edit and insert: lines of the open file are replaced by what stands on standard input."""

from __future__ import annotations

import fcntl
import os
import stat
import sys

from . import editor, text_file, window
from . import state as states
from .failure import Failure, UsageError
from .text_file import TextFile

_MOST_BODY = 16 * 1024 * 1024
_RULE = "-" * 49


def edit(arguments: list[str]) -> None:
    bounds = arguments[0].split(":") if len(arguments) == 1 else []
    numbers = [editor.number(bound) for bound in bounds]
    state = states.load()
    if state.open_file is None:
        raise Failure(editor.NOTHING_OPEN)
    if len(numbers) != 2:
        raise UsageError()
    start, end = numbers
    if start is None or end is None:
        raise UsageError("Error: <start_line> and <end_line> must be numbers")
    if start < 1:
        raise UsageError("Error: lines are counted from 1")
    # A range that ends before it starts holds no line: the text goes before `start`.
    _change(state, "edit", start, max(end + 1, start), (end - start) + 1)


def insert(arguments: list[str]) -> None:
    line = editor.number(arguments[0]) if len(arguments) == 1 else None
    state = states.load()
    if state.open_file is None:
        raise Failure(editor.NOTHING_OPEN)
    if line is None:
        raise UsageError("Error: <line_number> must be a number" if len(arguments) == 1 else "")
    _change(state, "insert", line + 1, line + 1, 0)


def _change(state: states.State, command: str, first: int, after: int, asked: int) -> None:
    """Put the body in place of the lines from `first` up to but without `after`.

    `asked`: how many lines the range named.
    """
    path = state.open_file or ""
    try:
        read_only = text_file.is_read_only(path)
    except OSError:
        raise Failure(
            f"Error: the open file {path} no longer exists. Open or create a file first.", 1
        ) from None
    if read_only:
        raise Failure(f"Error: {path} is read-only and cannot be changed.", 1)
    body = _body(command)
    old = text_file.load(path, path)
    new = old.replaced(first, after, body)
    added = body.count(b"\n")
    # Beyond the end of the file there is nothing to replace, and new lines follow its last one.
    first = min(first, old.total + 1)
    notes: list[str] = []
    if path.endswith(".py"):
        problems = _new_problems(
            old, new, first, max(min(after, old.total + 1) - first, 0), added, notes
        )
        if problems:
            _report(command, problems, old, new, first - 1, added, asked)
            return
    try:
        new.write()
    except OSError as error:
        raise Failure(
            f"Error: {path} could not be written and is unchanged: {error.strerror}.", 1
        ) from None
    state.scrolls = 0
    editor.show(state, new, first + added // 2)
    for note in notes:
        print(note)
    print(
        "The file has been changed. Check the result above (indentation, duplicate lines), and edit again if something is wrong."
    )


def _body(command: str) -> bytes:
    """Whole lines from standard input."""
    ending = f"end_of_{command}"
    problem = Failure(
        f"Error: no text was given, and nothing was changed. Put it on the lines after {command}, "
        f"and close it with a line that holds only {ending}."
    )
    try:
        # The shell's own input: no here-document was attached. Bash attaches an empty one as a
        # read-only /dev/null.
        if (
            stat.S_ISCHR(os.fstat(0).st_mode)
            and fcntl.fcntl(0, fcntl.F_GETFL) & os.O_ACCMODE != os.O_RDONLY
        ):
            raise problem
        body = sys.stdin.buffer.read(_MOST_BODY + 1)
    except (OSError, AttributeError):
        raise problem from None
    if len(body) > _MOST_BODY:
        raise Failure(f"Error: more than {_MOST_BODY} bytes of text; nothing was changed.")
    return body if not body or body.endswith(b"\n") else body + b"\n"


def _new_problems(
    old: TextFile, new: TextFile, first: int, removed: int, added: int, notes: list[str]
) -> list[tuple[int, int, str, str]]:
    from . import lint

    after = lint.check(new.content, new.path)
    if not after.checked:
        notes.append("Note: this file is too long or too deeply nested to be checked for errors.")
        return []
    found = (
        lint.introduced(lint.check(old.content, old.path), after, first, removed, added)
        if after.problems
        else []
    )
    if not found:
        odd = [line for line in lint.odd_indentation(new.content) if first <= line < first + added]
        if odd and not lint.odd_indentation(old.content):
            notes.append(f"Note: E111 indentation is not a multiple of 4 (line {odd[0]}).")
    return found


def _report(
    command: str,
    problems: list[tuple[int, int, str, str]],
    old: TextFile,
    new: TextFile,
    start: int,
    added: int,
    asked: int,
) -> None:
    """`start`: the number of lines before the change."""
    noun, fix = (
        ("edit", "the start and end lines")
        if command == "edit"
        else ("insertion", "the line number")
    )
    print(f"This {noun} would bring new errors into the file, so it was not applied.")
    print("ERRORS:")
    for line, column, code, text in problems:
        print(f"- {code} {text} (line {line}:{column})")
    print(f"With your {noun} the file would look like this")
    _print_part(new, start + added // 2, added + 10)
    print(f"This is the file as it is, without your {noun}")
    _print_part(old, start + (max(asked, 0) + 1) // 2, max(asked, 0) + 10)
    print("Nothing has been changed.")
    print(f"Correct either {fix} or the text, then call {command} again.")
    print(f"Do not repeat the same {command}: it would fail in the same way.")


def _print_part(file: TextFile, middle: int, height: int) -> None:
    print(_RULE)
    print(window.text(file, middle, height), end="")
    print(_RULE)
