"""What the driver says of the sandbox's GPUs, for the outcome of each command. Asked only where
GPUs were leased.

nvidia-smi comes into the container with the devices. It is asked without waiting: a driver that
hangs costs an outcome its figures and a few seconds, never the outcome.
"""

from __future__ import annotations

import math
import os
import shutil
import signal
import subprocess
from collections.abc import Callable
from typing import Any, Optional

from . import limits, processes
from .event_loop import EventLoop

_QUERY = ["--query-gpu=name,memory.total,memory.used", "--format=csv,noheader,nounits"]
_MOST = 64
_NAME_LENGTH = 200

Found = Optional[list[dict[str, Any]]]


class Gpus:
    def __init__(self, loop: EventLoop) -> None:
        self._loop = loop
        self._pid: int | None = None

    def read(self, then: Callable[[Found], None]) -> None:
        """`then` gets name, memoryMb and usedMb of each GPU; None if that cannot be learnt."""
        # The path that the container was started with: what the agent does to its own changes
        # nothing here.
        program = shutil.which("nvidia-smi")
        if program is None or self._pid is not None:
            then(None)
            return
        try:
            query = subprocess.Popen(
                [program, *_QUERY],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd="/",
            )
        except OSError:
            then(None)
            return
        # The event loop reaps it.
        query.returncode = 0
        self._pid = query.pid
        self._loop.on_exit(query.pid, lambda _: self._ended())
        _Answer(self._loop, query, then)

    def _ended(self) -> None:
        self._pid = None


class _Answer:
    def __init__(
        self, loop: EventLoop, query: subprocess.Popen[bytes], then: Callable[[Found], None]
    ) -> None:
        assert query.stdout is not None
        self._loop, self._pid, self._then = loop, query.pid, then
        self._pipe = query.stdout
        self._bytes = b""
        os.set_blocking(self._pipe.fileno(), False)
        loop.watch(self._pipe, self._readable)
        self._timer = loop.after(limits.GPU_SECONDS, self._late)

    def _readable(self) -> None:
        try:
            chunk = os.read(self._pipe.fileno(), limits.NOTE_BYTES)
        except BlockingIOError:
            return
        self._bytes += chunk
        if not chunk or len(self._bytes) > limits.NOTE_BYTES:
            self._end(parse(self._bytes))

    def _late(self) -> None:
        processes.send(self._pid, signal.SIGKILL)
        self._end(None)

    def _end(self, found: Found) -> None:
        self._timer.cancel()
        self._loop.unwatch(self._pipe)
        self._pipe.close()
        self._then(found)


def parse(text: bytes) -> Found:
    """None: a line tells no figures, as of a GPU that is shared in parts."""
    found = []
    for line in text.decode("utf-8", "replace").splitlines()[:_MOST]:
        fields = [field.strip() for field in line.rsplit(",", 2)]
        try:
            name, total, used = fields[0], float(fields[1]), float(fields[2])
        except (IndexError, ValueError):
            return None
        if not (math.isfinite(total) and math.isfinite(used) and total >= 0 and used >= 0):
            return None
        found.append({"name": name[:_NAME_LENGTH], "memoryMb": total, "usedMb": used})
    return found or None
