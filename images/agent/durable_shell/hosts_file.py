"""Names that a container without a network has for itself: its engine writes it none."""

from __future__ import annotations

import socket

_PATH = "/etc/hosts"


def ensure_localhost(path: str = _PATH) -> None:
    """Add `localhost` and this machine's own name, unless somebody has named localhost already.

    Raises OSError where the file cannot be written.
    """
    try:
        with open(path) as file:
            known = file.read()
    except FileNotFoundError:
        known = ""
    if any("localhost" in line.partition("#")[0].split()[1:] for line in known.splitlines()):
        return
    with open(path, "a") as file:
        file.write(
            f"127.0.0.1 localhost\n::1 localhost ip6-localhost\n127.0.1.1 {socket.gethostname()}\n"
        )
