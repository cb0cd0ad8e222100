"""edit and insert: lines of the open file are replaced by what stands on standard input."""

from __future__ import annotations

import fcntl
import os
import stat
import sys

from . import editor, text_file, window, words
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
        raise Failure(_nothing_open())
    if len(numbers) != 2:
        raise UsageError()
    start, end = numbers
    if start is None or end is None:
        which = "start_line" if start is None else "end_line"
        raise UsageError(
            words.say(
                "Error: <start_line> and <end_line> must be numbers",
                f"Error: {which} must be a number",
            )
        )
    if start < 1:
        raise UsageError("Error: lines are counted from 1")
    # A range that ends before it starts holds no line: the text goes before `start`.
    _change(state, "edit", start, max(end + 1, start), (end - start) + 1)


def insert(arguments: list[str]) -> None:
    line = editor.number(arguments[0]) if len(arguments) == 1 else None
    state = states.load()
    if state.open_file is None:
        raise Failure(_nothing_open())
    if line is None:
        problem = words.say(
            "Error: <line_number> must be a number", "Error: line_number must be a number"
        )
        raise UsageError(problem if len(arguments) == 1 else "")
    _change(state, "insert", line + 1, line + 1, 0)


def _change(state: states.State, command: str, first: int, after: int, asked: int) -> None:
    """Put the body in place of the lines from `first` up to but without `after`.

    `asked`: how many lines the range named.
    """
    path = state.open_file or ""
    try:
        read_only = text_file.is_read_only(path)
    except OSError:
        gone = f"Error: the open file {path} no longer exists. Open or create a file first."
        raise Failure(words.say(gone, _read_only(path)), 1) from None
    if read_only:
        raise Failure(
            words.say(f"Error: {path} is read-only and cannot be changed.", _read_only(path)), 1
        )
    body = _body(command)
    old = text_file.load(path, path)
    new = old.replaced(first, after, body)
    added = body.count(b"\n")
    # Beyond the end of the file there is nothing to replace, and new lines follow its last one.
    first = min(first, old.total + 1)
    notes: list[str] = []
    if path.endswith(".py"):
        removed = max(min(after, old.total + 1) - first, 0)
        problems = (
            _new_for_mlgym(command, old, new, first, removed, added)
            if words.is_mlgym()
            else _new_problems(old, new, first, removed, added, notes)
        )
        if problems:
            _report(_Refused(command, problems, (old, new), first - 1, added, asked))
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
        words.say(
            "The file has been changed. Check the result above (indentation, duplicate lines), and edit again if something is wrong.",
            "File updated. Please review the changes and make sure they are correct (correct indentation, no duplicate lines, etc). "
            "Edit the file again if necessary.",
        )
    )


def _nothing_open() -> str:
    return words.say(editor.NOTHING_OPEN, "No file open. Use the `open` command first.")


def _read_only(path: str) -> str:
    """MLGym says so of files that are gone, too."""
    return f"Error: You cannot edit read-only file {path}"


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


def _new_for_mlgym(
    command: str, old: TextFile, new: TextFile, first: int, removed: int, added: int
) -> list[tuple[int, int, str, str]]:
    from . import mlgym_check

    # MLGym's `insert` takes as many old lines for replaced as it adds.
    last = first + (added if command == "insert" else removed) - 1
    before = mlgym_check.problems(old.content, old.path)
    after = mlgym_check.problems(new.content, new.path)
    return mlgym_check.introduced(before, after, first, last, added)


class _Refused:
    """A change that would bring new errors; `start`: the number of lines before it."""

    def __init__(
        self,
        command: str,
        problems: list[tuple[int, int, str, str]],
        files: tuple[TextFile, TextFile],
        start: int,
        added: int,
        asked: int,
    ) -> None:
        self.command = command
        self.problems = problems
        self._old, self._new = files
        self._start = start
        self._added = added
        self._asked = max(asked, 0)

    def print_new(self) -> None:
        _print_part(self._new, self._start + self._added // 2, self._added + 10)

    def print_old(self) -> None:
        _print_part(self._old, self._start + (self._asked + 1) // 2, self._asked + 10)


def _report(refused: _Refused) -> None:
    command = refused.command
    if words.is_mlgym():
        _report_as_mlgym(refused)
        return
    noun, fix = (
        ("edit", "the start and end lines")
        if command == "edit"
        else ("insertion", "the line number")
    )
    print(f"This {noun} would bring new errors into the file, so it was not applied.")
    print("ERRORS:")
    for line, column, code, text in refused.problems:
        print(f"- {code} {text} (line {line}:{column})")
    print(f"With your {noun} the file would look like this")
    refused.print_new()
    print(f"This is the file as it is, without your {noun}")
    refused.print_old()
    print("Nothing has been changed.")
    print(f"Correct either {fix} or the text, then call {command} again.")
    print(f"Do not repeat the same {command}: it would fail in the same way.")


def _report_as_mlgym(refused: _Refused) -> None:
    """Errors without their places."""
    command = refused.command
    noun, again, fix = (
        ("edit", "editing the file", "start/end line arguments")
        if command == "edit"
        else ("insertion", "inserting into the file", "line number argument")
    )
    print(
        f"Your proposed {noun} has introduced new syntax error(s). "
        f"Please read this error message carefully and then retry {again}."
    )
    print("\nERRORS:")
    for _, _, code, text in refused.problems:
        print(f"- {code} {text}")
    print(f"\nThis is how your {noun} would have looked if applied")
    refused.print_new()
    print(f"\nThis is the original code before your {noun}")
    refused.print_old()
    print(f"Your changes have NOT been applied. Please fix your {command} command and try again.")
    print(f"You either need to 1) Specify the correct {fix} or 2) Correct your {noun} code.")
    print(
        f"DO NOT re-run the same failed {command} command. Running it again will lead to the same error."
    )


def _print_part(file: TextFile, middle: int, height: int) -> None:
    print(_RULE)
    print(window.text(file, middle, height), end="")
    print(_RULE)
