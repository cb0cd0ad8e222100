"""What one command's shell hands to the next one's, and the bash text that saves and restores it.

The state comes from the agent's own shell, so it is hostile: it is never interpreted here beyond
options with a fixed grammar, a path and a number, and everything else is only ever sourced by the
agent's own next shell, under its own uid.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass

from .settings import Settings

STATE_FD = 241
COMMAND_FD = 242
PRELUDE_FD = 243
EPILOGUE_FD = 244
RESTORE_FD = 245
GO_FD = 246

# The shell has its state and waits for a command; it has the command.
WAITING = b"waiting"
READY = b"ready"
# Sent before READY when the shell could not be started in the carried directory.
MOVED = b"moved"
_END = b"end"

# Set in the new shell by themselves or meaningless there. Several cannot be unset; restoring those
# fails silently.
_NOT_CARRIED = (
    "__bench_cmd _ BASH_ALIASES BASH_CMDS BASH_ARGC BASH_ARGV BASH_LINENO BASH_SOURCE BASH_REMATCH BASH_COMMAND "
    "BASH_EXECUTION_STRING BASH_SUBSHELL BASHPID DIRSTACK FUNCNAME GROUPS RANDOM SRANDOM LINENO EPOCHSECONDS "
    "EPOCHREALTIME HISTCMD PIPESTATUS BASH BASH_VERSION BASH_LOADABLES_PATH BASH_ARGV0 HOSTTYPE MACHTYPE OSTYPE "
    "COMP_WORDBREAKS"
)

# No single quotes in here: it becomes the text of a trap. Tracing, traps and strictness go first,
# so that nothing of the agent's runs or prints in between; sections end with NUL, which no bash
# value can contain. `builtin exec` would undo its redirections at once, so it is `\exec`, which at
# least is no alias.
_SAVE = (
    "{ __bench_status=$? __bench_options=$SHELLOPTS; builtin trap - DEBUG ERR RETURN; builtin set +euxv +o posix; } "
    # Closed: saved already, or closed by the agent.
    f">/dev/null 2>&1; if {{ builtin : >&{STATE_FD}; }} 2>/dev/null; then {{ "
    'builtin printf "%s\\0" "$__bench_options"; '
    'builtin printf "%s\\0" "$BASHOPTS"; '
    'builtin printf "%s\\0" "$PWD"; '
    'builtin umask; builtin printf "\\0"; '
    'builtin alias -p; builtin printf "\\0"; '
    'builtin declare -f; builtin declare -Fx; builtin printf "\\0"; '
    f"builtin unset {_NOT_CARRIED}; "
    'builtin declare -p; builtin printf "\\0"; '
    f'builtin printf "end\\0"; }} >&{STATE_FD} 2>/dev/null; \\exec {STATE_FD}>&-; fi'
)

# The shell is started as `bash -c SHELL_TEXT bash`. On one line, so that line numbers in the
# shell's messages are those of the agent's command; short, since the agent sees it in `ps`.
SHELL_TEXT = (
    f'builtin source /proc/self/fd/{PRELUDE_FD}; builtin eval "$__bench_cmd"; '
    f"{{ builtin source /proc/self/fd/{EPILOGUE_FD}; }} 2>/dev/null"
)

# Leaves by `exit`, so the agent's own EXIT trap still runs; ours finds its descriptor closed.
EPILOGUE = f"{_SAVE}; builtin exit $__bench_status\n".encode()

_PRELUDE_RESTORE = (
    # In a file of its own: read command by command, since its first lines say how the later ones
    # are to be read.
    f"builtin source /proc/self/fd/{RESTORE_FD} >/dev/null 2>&1; \\exec {RESTORE_FD}<&-; __bench_old=${{OLDPWD-}}\n"
    f'{{ builtin cd -- "${{PWD-}}" || {{ builtin printf "moved\\0" >&{STATE_FD}; @HOME@; }}; }} >/dev/null 2>&1\n'
    "OLDPWD=$__bench_old; builtin unset __bench_old\n"
)
_PRELUDE_FRESH = "{ @HOME@; } >/dev/null 2>&1; builtin unset OLDPWD\n"
# With a timeout of its own, or a carried TMOUT would be it. The end of the pipe is the end of the
# supervisor.
_PRELUDE_END = (
    f"\\exec {PRELUDE_FD}<&-; builtin shopt -s expand_aliases; "
    f'builtin printf "waiting\\0" >&{STATE_FD}; '
    f"builtin read -r -t 999999 -u {GO_FD} __bench_cmd || builtin exit; \\exec {GO_FD}<&-; "
    f'IFS= builtin read -r -d "" -u {COMMAND_FD} __bench_cmd; \\exec {COMMAND_FD}<&-; '
    f"builtin trap '{_SAVE}' EXIT; builtin printf \"ready\\0\" >&{STATE_FD}\n"
)

# Options that would keep a shell from running anything, or from ending well, are not carried.
_OPTIONS_REFUSED = {"noexec", "onecmd", "privileged", "restricted"}
_OPTIONS_BY_DEFAULT = {"braceexpand", "hashall", "interactive-comments"}


@dataclass(frozen=True)
class CarriedState:
    raw: bytes
    options: tuple[str, ...]
    working_dir: str
    umask: int
    # bash text: shopts, variables, functions, aliases; aliases last, or they would expand while the
    # rest is read.
    restore: bytes

    @property
    def display_dir(self) -> str:
        return self.working_dir.encode("utf-8", "surrogateescape").decode("utf-8", "replace")[:4096]


def parse(raw: bytes) -> CarriedState | None:
    """The sections between READY and the end mark; None: incomplete or malformed."""
    parts = raw.split(b"\0")
    if len(parts) < 9 or parts[7] != _END:
        return None
    options, shopts, working_dir, umask, aliases, functions, variables = parts[:7]
    names = options.decode("ascii", "replace").split(":")
    if (
        not re.fullmatch(rb"[0-7]{1,4}\s*", umask)
        or not working_dir.startswith(b"/")
        or len(working_dir) > 4096
    ):
        return None
    carried = tuple(n for n in names if re.fullmatch(r"[a-z-]+", n) and n not in _OPTIONS_REFUSED)
    restore = b"\n".join(
        [
            _restore_shopts(shopts),
            variables,
            b"builtin unset __bench_status __bench_options",
            functions,
            aliases,
            b"",
        ]
    )
    return CarriedState(
        raw, carried, working_dir.decode("utf-8", "surrogateescape"), int(umask, 8), restore
    )


def _restore_shopts(turned_on: bytes) -> bytes:
    """First off with the new shell's defaults, then on with those that were on.

    Functions may need some to be read.
    """
    names = [name for name in turned_on.split(b":") if re.fullmatch(rb"[a-z0-9_]+", name)]
    return b"builtin shopt -u ${BASHOPTS//:/ }\nbuiltin shopt -s " + b" ".join(names)


def prelude(settings: Settings, state: CarriedState | None) -> bytes:
    """Restores the state, takes the command in, arranges for the new state to be saved, and reports
    ready.
    """
    # In the root directory if nothing else: that is where the shell starts.
    home = " || ".join(
        f"builtin cd -- {shlex.quote(place)}"
        for place in (settings.workspace, *settings.fallback_dirs)
    )
    restore = _PRELUDE_FRESH if state is None else _PRELUDE_RESTORE
    return (restore.replace("@HOME@", home) + _PRELUDE_END).encode("utf-8", "surrogateescape")


def command_text(script: str, state: CarriedState | None) -> bytes:
    """The agent's command, after the carried options on its first line."""
    # NUL cannot be part of bash text.
    command = script.replace("\0", "").encode("utf-8", "replace")
    if state is None:
        return command
    words = [f"-o {o}" for o in state.options if o not in _OPTIONS_BY_DEFAULT and o != "xtrace"]
    words += [f"+o {o}" for o in sorted(_OPTIONS_BY_DEFAULT) if o not in state.options]
    # Last, so that it does not trace the others.
    words += ["-o xtrace"] if "xtrace" in state.options else []
    return f"builtin set {' '.join(words)};".encode() + command if words else command
