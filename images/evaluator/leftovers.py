"""Removes what a dead player has left for its successor: files of its user wherever it may write,
and shared memory without a name.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from typing import Any

PLACES = ("/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue")
# Kinds of System V, of which each is listed in /proc/sysvipc and removed by a call of its own.
REMOVALS: dict[str, Callable[[Any, int], object]] = {
    "shm": lambda libc, number: libc.shmctl(number, 0, None),
    "msg": lambda libc, number: libc.msgctl(number, 0, None),
    "sem": lambda libc, number: libc.semctl(number, 0, 0),
}


def remove_leftovers(uid: int | None, output_folder: str) -> None:
    """Run as the player's user, so that nothing else can be removed.

    `uid` None: it has none of its own, and nothing tells its files apart.
    """
    if uid is None:
        return
    for place in (*PLACES, output_folder):
        if os.path.isdir(place):
            empty(place, uid)
    for kind, remove in REMOVALS.items():
        for number in owned(kind, uid):
            import ctypes

            remove(ctypes.CDLL(None), number)


def empty(folder: str, uid: int) -> None:
    """Nothing of the player's lives that could put links in the way."""
    for entry in list(os.scandir(folder)):
        found = entry.stat(follow_symlinks=False)
        if found.st_uid != uid:
            continue
        if stat.S_ISDIR(found.st_mode):
            os.chmod(entry.path, 0o700)
            empty(entry.path, uid)
            os.rmdir(entry.path)
        else:
            os.unlink(entry.path)


def owned(kind: str, uid: int) -> list[int]:
    """Numbers of what is the user's."""
    try:
        with open("/proc/sysvipc/" + kind, encoding="ascii") as file:
            header, *lines = (line.split() for line in file)
    except OSError:
        return []
    owners = [header.index(name) for name in ("uid", "cuid")]
    # Of every kind the second column is the number.
    return [int(line[1]) for line in lines if str(uid) in (line[owner] for owner in owners)]
