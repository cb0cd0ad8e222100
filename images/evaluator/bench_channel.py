"""The referee's end of its channel to the submission: requests, answers, their time, and what it means when none comes."""

import json
import os
import signal
import socket
import time

from bench_fair_clock import FairClock

FROM_PLAYER_FD, TO_PLAYER_FD = 3, 4
RENEWAL_FD = 6  # to init, which answers with the pipes of another player


class PlayerFailed(Exception):
    """The submission is at fault. `ended`: its process has ended or broken the channel; how, the init process knows."""

    def __init__(self, message, ended=False, starved=False):
        super().__init__(message)
        self.ended = ended
        # It was late because the machine was short of CPU.
        self.starved = starved


class Late(Exception):
    """Raised by the alarm while the player thinks."""


class Channel:
    """One request, one answer. `seconds`: how long the player has had the word in all, on this process's own clock."""

    IMPORT_SECONDS = 60

    def __init__(self, order, from_player=FROM_PLAYER_FD, to_player=TO_PLAYER_FD):
        self.seconds = 0.0
        # Longest for one answer.
        self.patience = 0.0
        self._order = order
        self._in, self._out = from_player, to_player
        self._limit = order["timeoutSeconds"]
        self._deadline = time.monotonic() + self._limit
        self._clock = self._fair_clock()
        # The same for the exchange that the last tick saw, and its beginning.
        self._seen, self._answering = None, None
        self._asked = None  # since when the player has been thinking; None while it is not its turn
        self._ahead = b""  # what was read along, and is yet to be received
        self._ticking = False
        self._since = None  # when the last request was sent

    def seat(self, **order):
        """Hand the player its order and wait until the submission is imported."""
        order = {**order, "module": self._order["module"], "function": self._order["function"], "seed": self._order["playerSeed"]}
        data = json.dumps(order).encode()
        self.patience = self.IMPORT_SECONDS
        before = self.seconds
        with self.attending(lambda: "while it was imported"):
            self.exchange(len(data).to_bytes(4, "big") + data, 1)
        self.seconds = before

    def renew(self):
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

    def tick(self):
        """A clock beside the exchanges costs no system call per answer, as a time limit on each read would."""
        if not self._ticking:
            self._ticking = True
            signal.signal(signal.SIGALRM, self._on_alarm)
            signal.setitimer(signal.ITIMER_REAL, 0.1, 0.1)

    def attending(self, place):
        """Around all exchanges: an answer that is late, or a channel that breaks, is the player's fault at `place()`."""
        return Attention(self, place)

    def exchange(self, request, count, at_once=None):
        """Send the request; return the first `count` bytes of the answer. `at_once`: most to read along, for `receive`."""
        self._asked = self._since = asked = time.monotonic()
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
        self._ahead = data[count:]
        return data[:count]

    def receive(self, count):
        """`count` more bytes of the same answer, under the time limit that began with its request."""
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

    def _send(self, view):
        # The alarm's signal ends a long write early.
        while view:
            view = view[os.write(self._out, view) :]

    def _receive(self, start, count):
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

    def _fair_clock(self):
        pids = [self._order.get("playerPid"), os.getpid()]
        return FairClock(pids, self._order.get("ownContainer", False))

    def _on_alarm(self, *_):
        if self._asked is None:
            return
        if self._asked != self._seen:
            # What passed since the question is a tick at most.
            self._seen, self._answering = self._asked, self._fair_clock()
        now = time.monotonic()
        if now > self._deadline and self._clock.seconds() > self._limit:
            raise Late
        if now - self._asked > self.patience and self._answering.seconds() > self.patience:
            raise Late

    def too_late(self, where):
        if time.monotonic() > self._deadline and self._clock.seconds() > self._limit:
            message = "The time limit of %s s for the whole evaluation ran out %s" % (self._limit, where)
            return PlayerFailed(message, starved=self._clock.starved(self._limit))
        message = "The submission took longer than %s s %s" % (self.patience, where)
        return PlayerFailed(message, starved=self._answering is not None and self._answering.starved(self.patience))


class Attention:
    def __init__(self, channel, place):
        self.channel, self.place = channel, place

    def __enter__(self):
        self.channel.tick()

    def __exit__(self, kind, error, trace):
        if kind is Late:
            raise self.channel.too_late(self.place()) from None
        if kind is BrokenPipeError:
            raise PlayerFailed("The submission failed %s" % self.place(), ended=True) from None
