"""The referee's end of its channel to the submission.

Requests, answers, their time, and what it means when none comes.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING

from .fair_clock import FairClock
from .rejected import PlayerFailed

if TYPE_CHECKING:
    from .order import RefereeOrder

FROM_PLAYER_FD, TO_PLAYER_FD = 3, 4
RENEWAL_FD = 6  # to init, which answers with the pipes of another player


class Late(Exception):
    """Raised by the alarm while the player thinks."""


class Channel:
    """One request, one answer.

    `seconds`: how long the player has had the word in all, on this process's own clock.
    `patience`: longest for one answer, in seconds.
    """

    IMPORT_SECONDS = 60

    def __init__(
        self,
        order: RefereeOrder,
        from_player: int = FROM_PLAYER_FD,
        to_player: int = TO_PLAYER_FD,
    ) -> None:
        self.seconds = 0.0
        self.patience = 0.0
        self._order = order
        self._in, self._out = from_player, to_player
        self._limit = order["timeoutSeconds"]
        self._deadline = time.monotonic() + self._limit
        self._clock = self._fair_clock()
        # The same for the exchange that the last tick saw, and its beginning.
        self._answering: FairClock | None = None
        self._seen: float | None = None
        # Since when the player has been thinking; None while it is not its turn.
        self._asked: float | None = None
        self._ahead = b""  # what was read along, and is yet to be received
        self._ticking = False
        self._since: float | None = None  # when the last request was sent

    def seat(self, **order: object) -> None:
        """Hand the player its order and wait until the submission is imported."""
        order = {
            **order,
            "module": self._order["module"],
            "function": self._order["function"],
            "seed": self._order["playerSeed"],
        }
        data = json.dumps(order).encode()
        self.patience = self.IMPORT_SECONDS
        before = self.seconds
        with self.attending(lambda: "while it was imported"):
            self.exchange(len(data).to_bytes(4, "big") + data, 1)
        self.seconds = before

    def renew(self) -> None:
        """Another process of the submission at the other end, which is to be seated anew."""
        with socket.socket(fileno=os.dup(RENEWAL_FD)) as init:
            init.sendall(b"r")
            _, ends, _, _ = socket.recv_fds(init, 1, 2)
        if len(ends) != 2:
            raise RuntimeError("there is no other player")
        for end in (self._in, self._out):
            os.close(end)
        self._in, self._out = ends
        self._ahead = b""

    def tick(self) -> None:
        """Start the clock of the time limits.

        Beside the exchanges it costs no system call per answer, as a time limit on each read would.
        """
        if not self._ticking:
            self._ticking = True
            signal.signal(signal.SIGALRM, self._on_alarm)
            signal.setitimer(signal.ITIMER_REAL, 0.1, 0.1)

    def attending(self, place: Callable[[], str]) -> Attention:
        """Around all exchanges: a late answer or a broken channel is the player's fault."""
        return Attention(self, place)

    def exchange(self, request: bytes, count: int, at_once: int | None = None) -> bytes | bytearray:
        """Send the request; return the first `count` bytes of the answer.

        `at_once`: most bytes to read along, for `receive`.
        """
        self._asked = self._since = asked = time.monotonic()
        data: bytes | bytearray
        try:
            sent = os.write(self._out, request)
            if sent < len(request):
                self._send(memoryview(request)[sent:])
            data = self._ahead or os.read(self._in, at_once or count)
            if len(data) < count:
                data = self._receive(data, count)
        finally:
            self._asked = None
        self.seconds += time.monotonic() - asked
        if at_once is None:
            return data
        self._ahead = bytes(data[count:])
        return data[:count]

    def receive(self, count: int) -> bytes | bytearray:
        """`count` more bytes of the same answer, under the limit that began with its request."""
        data: bytes | bytearray
        data, self._ahead = self._ahead[:count], self._ahead[count:]
        if len(data) == count:
            return data
        asked = time.monotonic()
        self._asked = self._since
        try:
            data = self._receive(data, count)
        finally:
            self._asked = None
        self.seconds += time.monotonic() - asked
        return data

    def _send(self, view: memoryview) -> None:
        # The alarm's signal ends a long write early.
        while view:
            view = view[os.write(self._out, view) :]

    def _receive(self, start: bytes | bytearray, count: int) -> bytearray:
        data = bytearray(count)
        view = memoryview(data)
        view[: len(start)] = start
        have = len(start)
        while have < count:
            more = os.readv(self._in, [view[have:]])
            if not more:
                raise BrokenPipeError
            have += more
        return data

    def _fair_clock(self) -> FairClock:
        pids = [self._order.get("playerPid"), os.getpid()]
        return FairClock(pids, self._order.get("ownContainer", False))

    def _on_alarm(self, *_: object) -> None:
        if self._asked is None:
            return
        if self._answering is None or self._asked != self._seen:
            # What passed since the question is a tick at most.
            self._seen, self._answering = self._asked, self._fair_clock()
        now = time.monotonic()
        if now > self._deadline and self._clock.seconds() > self._limit:
            raise Late
        if now - self._asked > self.patience and self._answering.seconds() > self.patience:
            raise Late

    def too_late(self, where: str) -> PlayerFailed:
        """Which time limit was met."""
        if time.monotonic() > self._deadline and self._clock.seconds() > self._limit:
            limit = f"The time limit of {self._limit} s for the whole evaluation"
            return PlayerFailed(
                f"{limit} ran out {where}", starved=self._clock.starved(self._limit)
            )
        answering = self._answering
        return PlayerFailed(
            f"The submission took longer than {self.patience} s {where}",
            starved=answering is not None and answering.starved(self.patience),
        )


class Attention:
    """Turns what a late or dead player does to an exchange into its fault, at `place()`."""

    def __init__(self, channel: Channel, place: Callable[[], str]) -> None:
        self.channel, self.place = channel, place

    def __enter__(self) -> None:
        self.channel.tick()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is Late:
            raise self.channel.too_late(self.place()) from None
        if kind is BrokenPipeError:
            raise PlayerFailed(f"The submission failed {self.place()}", ended=True) from None
