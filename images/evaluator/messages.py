"""What a rejection tells the agent, in printable ASCII of bounded length.

The submission has seen what is hidden, and chooses what it writes to stderr: whoever is shown much
of that is shown the secrets.
"""

from __future__ import annotations

import re

MESSAGE_LIMIT = 300  # the referee's words, which may quote an answer
STDERR_LIMIT = 160  # the submission's own
GAP = " ... "


def plain(text: str, limit: int) -> str:
    """One line; where it is too long its middle goes."""
    line = re.sub(
        r"[^\x21-\x7e]+", lambda found: " " if found.group().isspace() else "?", text
    ).strip()
    if len(line) <= limit:
        return line
    head = (limit - len(GAP)) // 2
    return line[:head] + GAP + line[len(line) - (limit - len(GAP) - head) :]


def last_words(stderr: str) -> str:
    """Of a traceback where the error is, and which; of anything else the last line."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    if not lines:
        return ""
    places = [line for line in lines if re.match(r'File ".*", line \d+', line)]
    return plain(": ".join([*places[-1:], lines[-1]]), STDERR_LIMIT)
