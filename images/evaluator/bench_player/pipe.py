"""The player's end of its two pipes."""

from __future__ import annotations

import os
import sys

FROM_REFEREE_FD, TO_REFEREE_FD = 3, 4


class InvalidAnswer(Exception):
    """The function returned something else than it should; its message is all that is reported."""


def receive(count: int) -> bytes | bytearray:
    data = os.read(FROM_REFEREE_FD, count)
    if len(data) == count:
        return data
    whole = bytearray(count)
    view = memoryview(whole)
    view[: len(data)] = data
    have = len(data)
    while have < count:
        more = os.readv(FROM_REFEREE_FD, [view[have:]])
        if not more:
            sys.exit(0)
        have += more
    return whole


def send(data: bytes) -> None:
    view = memoryview(data)
    try:
        while view:
            view = view[os.write(TO_REFEREE_FD, view) :]
    except BrokenPipeError:
        # The referee has given up, and says why.
        sys.exit(0)
