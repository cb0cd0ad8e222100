"""Requests to the sandbox's supervisor, which stands outside of the agent's reach: one line there,
one line back.
"""

from __future__ import annotations

import json
import os
import socket

from . import place
from .failure import Failure

_SECONDS = 30
_LONGEST = 256 * 1024


def ask(request: str, seconds: float | None = _SECONDS) -> str:
    """The answer to an accepted request. `seconds`: how long it may take; None: as long as it does.

    Raises Failure for a refused one, and when nobody answers.
    """
    name = request.split(" ", 1)[0]
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as channel:
            channel.settimeout(seconds)
            # Socket addresses are short; relative ones always fit.
            os.chdir(place.tools_dir())
            channel.connect("sock")
            channel.sendall(request.encode("ascii") + b"\n")
            answer = channel.makefile("rb").readline(_LONGEST).decode("utf-8", "replace")
    except OSError as error:
        raise Failure(f"{name}: the sandbox does not answer: {error}", 1) from None
    verdict, _, text = answer.strip().partition(" ")
    if verdict == "text":
        return str(json.loads(text))
    if verdict != "ok":
        raise Failure(text or "no answer", 1)
    return text or "no answer"
