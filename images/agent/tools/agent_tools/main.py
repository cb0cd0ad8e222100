"""From the name of a command to what it does.

Each module is loaded only for its own commands: start-up counts.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from .failure import Failure, UsageError


class _Command:
    def __init__(
        self, module: str, function: str, usage: str, help: str, mlgym: str | None = None
    ) -> None:
        self.module = module
        self.function = function
        self.usage = usage
        self.help = help
        # The usage in the words of MLGym, where they differ.
        self.mlgym = mlgym


_COMMANDS: dict[str, _Command] = {
    "open": _Command(
        "editor",
        "open_file",
        "open <path> [<line_number>]",
        "Show a file, from its top or around a line.",
        'open "<file>" [<line_number>]',
    ),
    "goto": _Command(
        "editor",
        "goto",
        "goto <line_number>",
        "Move the window of the open file to a line.",
        "goto <line>",
    ),
    "scroll_down": _Command(
        "editor",
        "scroll_down",
        "scroll_down",
        "Move the window of the open file down by its height.",
    ),
    "scroll_up": _Command(
        "editor", "scroll_up", "scroll_up", "Move the window of the open file up by its height."
    ),
    "create": _Command(
        "editor", "create", "create <filename>", "Make a new file with one empty line and open it."
    ),
    "edit": _Command(
        "edit",
        "edit",
        "edit <start_line>:<end_line>",
        "Replace lines of the open file by what follows, up to a line with only end_of_edit. Without text they are deleted.",
    ),
    "insert": _Command(
        "edit",
        "insert",
        "insert <line_number>",
        "Put what follows, up to a line with only end_of_insert, after a line of the open file; 0 is the top.",
    ),
    "view_file": _Command(
        "replace",
        "view_file",
        "view_file <path> [<first_line>] [<last_line>]",
        "Show a file, or some lines of it, with line numbers.",
    ),
    "write_file": _Command(
        "replace",
        "write_file",
        "write_file <path>",
        "Write what follows, up to a line with only end_of_file, to a file; folders are made.",
    ),
    "str_replace": _Command(
        "replace",
        "str_replace",
        "str_replace <path> <old_text> <new_text>",
        "Replace a text that stands in a file exactly once.",
    ),
    "view_image": _Command(
        "images",
        "view_image",
        "view_image <path>",
        "Show an image file: PNG, JPEG, GIF or WebP.",
    ),
    "start_job": _Command(
        "jobs",
        "start_job",
        "start_job <script>",
        "Run a script in the background; its output and exit code are kept.",
    ),
    "job_output": _Command(
        "jobs",
        "job_output",
        "job_output [<job>] [<wait_seconds>]",
        "Show the state and the newest output of a job, and wait for its end; without a number, all jobs.",
    ),
    "stop_job": _Command("jobs", "stop_job", "stop_job <job>", "End a job and what it started."),
    "mcp_tools": _Command("mcp", "mcp_tools", "mcp_tools", "List the tools of the MCP servers."),
    "mcp_call": _Command(
        "mcp",
        "mcp_call",
        "mcp_call <server> <tool>",
        "Call a tool of an MCP server; its arguments are JSON on standard input.",
    ),
    "search_dir": _Command(
        "search",
        "search_dir",
        "search_dir <search_term> [<dir>]",
        "Count the lines that match a basic regular expression, in every file of a directory.",
    ),
    "search_file": _Command(
        "search",
        "search_file",
        "search_file <search_term> [<file>]",
        "Show the lines of a file, or of the open file, that match a basic regular expression.",
    ),
    "find_file": _Command(
        "search",
        "find_file",
        "find_file <file_name> [<dir>]",
        "List files by name or pattern, below a directory.",
    ),
    "memory_write": _Command(
        "memory",
        "memory_write",
        'memory_write "<text>"',
        "Keep a note for later runs of this task.",
    ),
    "memory_read": _Command(
        "memory", "memory_read", 'memory_read "<query>"', "Find the two notes closest to a query."
    ),
    "literature_search": _Command(
        "literature",
        "literature_search",
        'literature_search "<query>" [<num_results>]',
        "Search openly accessible papers; a JSON object per paper.",
    ),
    "parse_pdf_url": _Command(
        "pdf", "parse_pdf_url", 'parse_pdf_url "<url>"', "Print the text of a PDF."
    ),
    "validate": _Command(
        "evaluation",
        "validate",
        "validate",
        "Ask for an evaluation of the work as it stands. It runs when the current command has ended.",
    ),
    "submit": _Command(
        "evaluation",
        "submit",
        "submit",
        "Hand in the work and finish. It is evaluated when the current command has ended.",
    ),
}

NAMES = tuple(_COMMANDS)


def run(program: str, arguments: list[str]) -> int:
    """The exit code."""
    name = os.path.basename(program)
    command = _COMMANDS.get(name)
    if command is None:
        print(f"{name} is none of the commands: {', '.join(NAMES)}", file=sys.stderr)
        return 2
    for stream in (sys.stdout, sys.stderr):
        # None if the agent closed it.
        if stream is not None:
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    try:
        code = _answer(command, arguments)
        if sys.stdout is not None:
            sys.stdout.flush()
        return code
    except BrokenPipeError:
        # Whoever read our output has seen enough. Nothing may be flushed at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except KeyboardInterrupt:
        return 130


def _answer(command: _Command, arguments: list[str]) -> int:
    # What looks like an option may be a search term: only alone it asks for help.
    if arguments == ["--help"]:
        print(f"Usage: {command.usage}\n{command.help}")
        return 0
    try:
        if command.module != "editor":
            _end_of_scrolling()
        _function(command)(arguments)
        return 0
    except UsageError as error:
        from . import words

        usage = words.say(command.usage, command.mlgym or command.usage)
        print(f"Usage: {usage}" + (f"\n{error.message}" if error.message else ""))
        return 0
    except Failure as failure:
        print(failure.message)
        return failure.code
    except BrokenPipeError:
        raise
    except (OSError, MemoryError) as error:
        reason = (
            error.strerror
            if isinstance(error, OSError) and error.strerror
            else type(error).__name__
        )
        where = f": {error.filename}" if isinstance(error, OSError) and error.filename else ""
        if not _directory_exists():
            reason, where = "the working directory no longer exists; cd to another one", ""
        print(f"Error: {reason}{where}")
        return 1


def _end_of_scrolling() -> None:
    """The editor warns of many scrolls in a row: another command in between ends the row."""
    from . import state as states

    state = states.load()
    if state.scrolls > 0:
        state.scrolls = 0
        states.save(state)


def _directory_exists() -> bool:
    try:
        os.getcwd()
        return True
    except OSError:
        return False


def _function(command: _Command) -> Callable[[list[str]], None]:
    module = __import__(f"{__package__}.{command.module}", fromlist=[command.function])
    function: Callable[[list[str]], None] = getattr(module, command.function)
    return function
