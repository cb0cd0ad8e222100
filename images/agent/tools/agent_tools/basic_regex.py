"""POSIX basic regular expressions, with GNU grep's additions, as patterns of Python's `re`."""

from __future__ import annotations

import re

_CLASSES = {
    "alpha": "a-zA-Z",
    "digit": "0-9",
    "alnum": "a-zA-Z0-9",
    "upper": "A-Z",
    "lower": "a-z",
    "space": r" \t\r\f\v",
    "blank": r" \t",
    "punct": r"!-/:-@\[-`{-~",
    "xdigit": "0-9A-Fa-f",
    "cntrl": r"\x00-\x09\x0b-\x1f\x7f",
    "print": r"\x20-\x7e",
    "graph": r"\x21-\x7e",
}
# Not across lines, as grep sees one line at a time.
_ESCAPES = {
    "w": r"\w",
    "W": r"[^\w\n]",
    "s": r"[^\S\n]",
    "S": r"\S",
    "b": r"\b",
    "B": r"\B",
    "<": r"\b(?=\w)",
    ">": r"\b(?<=\w)",
}
_ESCAPES.update({"`": r"^", "'": r"$"})
_MOST_REPEATS = 1000


class InvalidPattern(Exception):
    pass


def compile_pattern(pattern: str) -> re.Pattern[str]:
    """For texts of several lines; a match never spans two. Raises InvalidPattern."""
    try:
        return re.compile(translate(pattern), re.MULTILINE)
    except (re.error, OverflowError, RecursionError) as error:
        raise InvalidPattern(str(error)) from None


def translate(pattern: str) -> str:
    out: list[str] = []
    # Indices of `out` where the innermost group began; a closing bracket gives back the whole group
    # as one item.
    opened: list[int] = []
    groups = 0
    at, size = 0, len(pattern)
    # Whether an item stands before, to which a star can apply.
    item = False
    while at < size:
        char = pattern[at]
        at += 1
        if char == "\\":
            if at == size:
                raise InvalidPattern("it ends with a backslash")
            escaped = pattern[at]
            at += 1
            if escaped == "(":
                opened.append(len(out))
                groups += 1
                out.append("(")
                item = False
            elif escaped == ")":
                if not opened:
                    raise InvalidPattern(r"\) without \(")
                start = opened.pop()
                out[start:] = ["".join(out[start:]) + ")"]
                item = True
            elif escaped == "|":
                out.append("|")
                item = False
            elif escaped in "+?" and item:
                out[-1] = f"(?:{out[-1]}){escaped}" if _repeated(out[-1]) else out[-1] + escaped
            elif escaped == "{" and item:
                bounds, at = _bounds(pattern, at)
                out[-1] = f"(?:{out[-1]}){bounds}" if _repeated(out[-1]) else out[-1] + bounds
            elif escaped in "123456789":
                if int(escaped) > groups:
                    raise InvalidPattern(f"\\{escaped} without a group of that number")
                out.append(f"(?:\\{escaped})")
                item = True
            else:
                out.append(_ESCAPES.get(escaped) or re.escape(escaped))
                item = True
        elif char == "[":
            text, at = _bracket(pattern, at)
            out.append(text)
            item = True
        elif char == "*" and item:
            out[-1] = f"(?:{out[-1]})*" if _repeated(out[-1]) else out[-1] + "*"
        elif char == "^" and (not out or _starts(pattern, at - 1)):
            out.append("^")
            item = False
        elif char == "$" and (at == size or pattern.startswith((r"\)", r"\|"), at)):
            out.append("$")
            item = True
        else:
            out.append("." if char == "." else re.escape(char))
            item = True
    if opened:
        raise InvalidPattern(r"\( without \)")
    return "".join(out)


def _starts(pattern: str, at: int) -> bool:
    return pattern[max(at - 2, 0) : at] in (r"\(", r"\|")


def _repeated(item: str) -> bool:
    """A repetition of a repetition needs brackets; so do the assertions."""
    return (
        (item[-1] in "*+?}" and not item.endswith(("\\*", "\\+", "\\?", "\\}")))
        or item in ("^", "$")
        or item.startswith(r"\b")
    )


def _bounds(pattern: str, at: int) -> tuple[str, int]:
    end = pattern.find(r"\}", at)
    found = re.fullmatch(r"(\d*)(,?)(\d*)", pattern[at:end]) if end >= 0 else None
    if found is None or found.group(0) in ("", ","):
        raise InvalidPattern(r"\{ without two numbers and \}")
    least, comma, most = found.groups()
    for number in (least, most):
        if number and int(number) > _MOST_REPEATS:
            raise InvalidPattern(f"more than {_MOST_REPEATS} repetitions")
    return f"{{{least or 0}{comma}{most}}}", end + 2


def _bracket(pattern: str, at: int) -> tuple[str, int]:
    negated = pattern.startswith("^", at)
    at += negated
    parts: list[str] = []
    first = True
    while True:
        if at >= len(pattern):
            raise InvalidPattern("[ without ]")
        char = pattern[at]
        if char == "]" and not first:
            break
        first = False
        special = re.compile(r"\[([:.=])(.*?)\1\]").match(pattern, at)
        if special is not None:
            parts.append(_special(special.group(1), special.group(2)))
            at = special.end()
            continue
        at += 1
        if pattern.startswith("-", at) and at + 1 < len(pattern) and pattern[at + 1] != "]":
            last = pattern[at + 1]
            at += 2
            if last < char:
                raise InvalidPattern(f"the range {char}-{last} is empty")
            parts.append(f"{re.escape(char)}-{re.escape(last)}")
        else:
            parts.append(re.escape(char))
    content = "".join(parts)
    # A line's end is matched by nothing.
    return (f"[^{content}\\n]" if negated else f"[{content}]"), at + 1


def _special(kind: str, name: str) -> str:
    if kind != ":":
        if len(name) != 1:
            raise InvalidPattern(f"[{kind}{name}{kind}] is not one character")
        return re.escape(name)
    known: str | None = _CLASSES.get(name)
    if known is None:
        raise InvalidPattern(f"there is no class [:{name}:]")
    return known
