"""A small event loop: readable descriptors, timers, ended children. Idle, it sleeps in one system
call.

Every handler is guarded: an exception is logged and the loop goes on, since its end would be the
sandbox's end.
"""

from __future__ import annotations

import heapq
import itertools
import os
import selectors
import signal
import sys
import time
import traceback
from collections.abc import Callable
from functools import partial
from typing import Any

STANDSTILL_SECONDS = 0.5
PIECE_SECONDS = 0.25
SOON_SECONDS = 5.0


class Timer:
    def __init__(self, handler: Callable[[], None]) -> None:
        self.handler: Callable[[], None] | None = handler

    def cancel(self) -> None:
        self.handler = None


class EventLoop:
    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()
        self._timers: list[tuple[float, int, Timer]] = []
        self._order = itertools.count()
        self._children: dict[int, Callable[[int], None]] = {}
        self.when_childless: Callable[[], None] = lambda: None
        self._forgiven = 0.0
        # When it last ran.
        self._seen = time.monotonic()
        self._wake_read, wake_write = os.pipe()
        os.set_blocking(self._wake_read, False)
        os.set_blocking(wake_write, False)
        signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self.watch(self._wake_read, self._woken)

    def watch(self, descriptor: Any, handler: Callable[[], None]) -> None:
        self._selector.register(descriptor, selectors.EVENT_READ, handler)

    def unwatch(self, descriptor: Any) -> None:
        try:
            self._selector.unregister(descriptor)
        except (KeyError, ValueError):
            pass

    def after(self, seconds: float, handler: Callable[[], None]) -> Timer:
        timer = Timer(handler)
        heapq.heappush(self._timers, (time.monotonic() + seconds, next(self._order), timer))
        return timer

    def now(self) -> float:
        """Seconds by a clock that stands still while nothing can run."""
        return time.monotonic() - self._forgiven

    def on_exit(self, pid: int, handler: Callable[[int], None]) -> None:
        """`handler` gets the wait status of child `pid`.

        Other children, adopted orphans, are only reaped.
        """
        self._children[pid] = handler

    def _woken(self) -> None:
        try:
            os.read(self._wake_read, 4096)
        except BlockingIOError:
            pass
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                guarded(self.when_childless)
                return
            if pid == 0:
                return
            handler = self._children.pop(pid, None)
            if handler is not None:
                guarded(partial(handler, status))

    def run_forever(self) -> None:
        while True:
            if not guarded(self._turn):
                # Whatever it was, it may come again at once.
                time.sleep(0.1)

    def _turn(self) -> None:
        while self._timers and self._timers[0][2].handler is None:
            heapq.heappop(self._timers)
        wait = self._wait(time.monotonic())
        found = self._selector.select(wait)
        now = time.monotonic()
        if wait is not None:
            self._forgive(now - self._seen - wait)
        self._seen = now
        for key, _ in found:
            # An earlier handler of this turn may have closed it, and the number may already mean
            # another file.
            if self._selector.get_map().get(key.fileobj) is key:
                guarded(key.data)
        while self._timers and self._timers[0][0] <= time.monotonic():
            handler = heapq.heappop(self._timers)[2].handler
            if handler is not None:
                guarded(handler)

    def _wait(self, now: float) -> float | None:
        if not self._timers:
            return None
        wait = max(0.0, self._timers[0][0] - now)
        # What is due soon is waited for in pieces, by which it is seen how long nothing could run;
        # none is longer than the system call can count.
        return min(wait, PIECE_SECONDS if wait <= SOON_SECONDS else 3600.0)

    def _forgive(self, late: float) -> None:
        """The sandbox was frozen, or the machine gave it no time: neither did its shells get any,
        and nothing is due because of it.
        """
        if late > STANDSTILL_SECONDS:
            self._forgiven += late
            self._timers = [(due + late, order, timer) for due, order, timer in self._timers]


def guarded(handler: Callable[[], None]) -> bool:
    try:
        handler()
        return True
    except Exception:
        traceback.print_exc(file=sys.stderr)
        sys.stderr.flush()
        return False
