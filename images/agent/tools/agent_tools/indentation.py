"""E111: statements whose indentation is no multiple of four."""

from __future__ import annotations

import io
import tokenize

from .names import Problem

_BLANK = (
    tokenize.NL,
    tokenize.COMMENT,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
)


def odd(content: bytes) -> list[Problem]:
    """One for each statement, not only for the first of its block."""
    found: list[Problem] = []
    begins = True
    try:
        for token in tokenize.tokenize(io.BytesIO(content).readline):
            if token.type == tokenize.NEWLINE:
                begins = True
            elif begins and token.type not in _BLANK:
                begins = False
                before = token.line[: token.start[1]]
                if len(before.expandtabs(8)) % 4 != 0 and before.strip() == "":
                    place = (token.start[0], len(before) + 1)
                    found.append((*place, "E111", "indentation is not a multiple of 4"))
    except (tokenize.TokenError, SyntaxError, ValueError):
        pass
    return found
