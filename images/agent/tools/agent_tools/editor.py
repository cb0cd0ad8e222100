"""open, goto, scroll_up, scroll_down, create."""

from __future__ import annotations

import errno
import os

from . import state as states
from . import text_file, window, words
from .failure import Failure, UsageError
from .state import State
from .text_file import TextFile

NOTHING_OPEN = "No file is open. Use the open command first."
# Above this MLGym's editor refuses to open a file at a line.
_MLGYM_MOST_BYTES = 20_000

_IMAGES = (
    b"\x89PNG\r\n\x1a\n",
    b"\xff\xd8\xff",
    b"GIF87a",
    b"GIF89a",
    b"II*\0",
    b"MM\0*",
    b"8BPS",
    b"\0\0\1\0",
)


def number(text: str) -> int | None:
    """A line number, or None for anything else."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 12 else None


def keep(state: State) -> None:
    try:
        states.save(state)
    except OSError as error:
        print(
            f"Warning: the editor cannot remember the open file: {error.strerror}. Later commands may find none open."
        )


def show(state: State, file: TextFile, middle: int) -> None:
    """Print the window around `middle` and remember it."""
    height = window.window_lines()
    state.open_file = file.path
    state.current_line = window.constrained(middle, file.total, height)
    print(window.text(file, state.current_line, height), end="")
    keep(state)


def load_open_file(state: State) -> TextFile:
    if state.open_file is None:
        raise Failure(words.say(NOTHING_OPEN, "No file open. Use the open command first."))
    return text_file.load(state.open_file, state.open_file)


def open_file(arguments: list[str]) -> None:
    if not 1 <= len(arguments) <= 2 or arguments[0] == "":
        raise UsageError()
    # A tool call without a line number may leave an empty word.
    wanted = arguments[1] if len(arguments) == 2 else ""
    name = arguments[0]
    line = None
    if wanted != "":
        negative = wanted.startswith("-")
        line = number(wanted[1:] if negative else wanted)
        if line is None:
            raise UsageError("Error: <line_number> must be a number")
        line = -line if negative else line
    file = text_file.load(os.path.realpath(name), name)
    if _is_image(file.content):
        raise Failure(
            words.say(
                f"Error: {name} is an image, and this editor shows text only.",
                f"Error: {name} is an image file. Current environment does not support image viewing.",
            )
        )
    if line is not None and words.is_mlgym() and len(file.content) > _MLGYM_MOST_BYTES:
        raise Failure(
            f"The file is larger than {_MLGYM_MOST_BYTES} characters, please use 'head -n NUM_LINES' to open it"
        )
    height = window.window_lines()
    if line is None:
        middle = height // 2
    elif line > file.total:
        print(
            words.say(
                f"Warning: line {line} was asked for, and the file has {file.total}\n"
                f"Warning: the window is moved to line {file.total}",
                f"Warning: <line_number> ({line}) is greater than the number of lines in the file ({file.total})\n"
                f"Warning: Setting <line_number> to {file.total}",
            )
        )
        middle = file.total
    elif line < 1:
        print(
            words.say(
                f"Warning: line {line} was asked for, and lines are counted from 1\n"
                "Warning: the window is moved to line 1",
                f"Warning: <line_number> ({line}) is less than 1\nWarning: Setting <line_number> to 1",
            )
        )
        middle = 1
    else:
        middle = window.placed(line, height)
    show(State(), file, middle)


def _is_image(content: bytes) -> bool:
    if content.startswith(_IMAGES):
        return True
    return (content[:4] == b"RIFF" and content[8:12] == b"WEBP") or (
        content[:2] == b"BM" and content[6:10] == b"\0\0\0\0"
    )


def goto(arguments: list[str]) -> None:
    state = states.load()
    file = load_open_file(state)
    if len(arguments) != 1:
        if arguments and words.is_mlgym():
            raise Failure("goto allows only one line number at a time.")
        raise UsageError("goto takes one line number." if arguments else "")
    line = number(arguments[0])
    if line is None:
        raise UsageError(
            words.say("Error: <line_number> must be a number", "Error: <line> must be a number")
        )
    if line > file.total:
        raise Failure(
            words.say(
                f"Error: <line_number> must be at most {file.total}, the number of lines",
                f"Error: <line> must be less than or equal to {file.total}",
            )
        )
    state.scrolls = 0
    show(state, file, window.placed(line, window.window_lines()))


def scroll_down(arguments: list[str]) -> None:
    _scroll(arguments, 1)


def scroll_up(arguments: list[str]) -> None:
    _scroll(arguments, -1)


def _scroll(arguments: list[str], direction: int) -> None:
    if arguments:
        raise UsageError()
    state = states.load()
    file = load_open_file(state)
    state.scrolls += 1
    distance = max(window.window_lines() - window.overlap_lines(), 1)
    show(state, file, max(state.current_line + direction * distance, 0))
    if state.scrolls >= 3:
        print(
            words.say(
                f"WARNING: {state.scrolls} scrolls in a row: this is a slow way through a file.\n"
                "If you know what you are looking for, search_file <term> finds its line numbers,\n"
                "and goto <line_number> takes you there in one step.",
                "\nWARNING: Scrolling many times in a row is very inefficient.\n"
                "If you know what you are looking for, use `search_file <pattern>` instead.\n",
            )
        )


def create(arguments: list[str]) -> None:
    if len(arguments) != 1 or arguments[0] == "":
        raise UsageError()
    name = arguments[0]
    try:
        descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    except FileExistsError:
        print(f"Error: File '{name}' already exists.")
    except (FileNotFoundError, NotADirectoryError):
        raise Failure(
            f"Error: '{name}' cannot be created: its folder does not exist.\nFile {name} not found"
        ) from None
    except OSError as error:
        reason = "the name is too long" if error.errno == errno.ENAMETOOLONG else error.strerror
        raise Failure(f"Error: '{name}' cannot be created: {reason}.", 1) from None
    else:
        try:
            with open(descriptor, "wb") as file:
                file.write(b"\n")
        except OSError as error:
            os.unlink(name)
            raise Failure(f"Error: '{name}' cannot be created: {error.strerror}.", 1) from None
    open_file([name])
