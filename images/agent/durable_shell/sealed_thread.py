"""A thread whose children cannot write below /proc: they keep the oom_score_adj that they are
given.

Without CAP_SYS_RESOURCE the kernel lets every process lower its own again, to what its first
ancestor had, and whoever is small survives the supervisor. What Landlock forbids it forbids a
thread and all its descendants, for good; the supervisor itself goes on as before.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Callable
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeVar

# The same numbers on all architectures.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION_FLAG = 1
_PATH_BENEATH = 1
_WRITE_FILE = 1 << 1
# Moving a file into another folder: refused altogether unless it is allowed.
_REFER = 1 << 13
# Before it, nothing could allow _REFER.
_OLDEST_VERSION = 2

Result = TypeVar("Result")


class SealedThread:
    """Expects no_new_privs to be set.

    Raises OSError where the kernel, or what guards its system calls, has no Landlock.
    """

    def __init__(self) -> None:
        self._wanted: SimpleQueue[Callable[[], Any]] = SimpleQueue()
        self._answers: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()
        Thread(target=self._work, daemon=True).start()
        self.call(_seal)

    def call(self, make: Callable[[], Result]) -> Result:
        """What `make` does, in that thread; one caller at a time."""
        self._wanted.put(make)
        answer, error = self._answers.get()
        if error is not None:
            raise error
        result: Result = answer
        return result

    def _work(self) -> None:
        while True:
            make = self._wanted.get()
            try:
                self._answers.put((make(), None))
            except BaseException as error:
                self._answers.put((None, error))


def _seal() -> None:
    if _landlock(_CREATE_RULESET, None, 0, _VERSION_FLAG) < _OLDEST_VERSION:
        raise OSError("Landlock is too old")
    rules = _landlock(_CREATE_RULESET, struct.pack("=Q", _WRITE_FILE | _REFER), 8, 0)
    try:
        _allow(rules, "/", _REFER)
        # What is allowed holds for all below, so /proc cannot be taken out of /.
        for name in os.listdir("/"):
            if os.path.realpath(f"/{name}").split("/")[1] != "proc":
                _allow(rules, f"/{name}", _WRITE_FILE)
        _landlock(_RESTRICT_SELF, rules, 0)
    finally:
        os.close(rules)


def _allow(rules: int, path: str, access: int) -> None:
    try:
        opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return  # a link to nowhere
    try:
        _landlock(_ADD_RULE, rules, _PATH_BENEATH, struct.pack("=Qi", access, opened), 0)
    finally:
        os.close(opened)


def _landlock(call: int, *arguments: int | bytes | None) -> int:
    words = (ctypes.c_long(one) if isinstance(one, int) else one for one in (call, *arguments))
    result = ctypes.CDLL(None, use_errno=True).syscall(*words)
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return int(result)
