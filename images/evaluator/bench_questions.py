"""Questions to a submitted function: what a referee.py of kind `questions` is written with.

    def evaluate(player):
        right = 0
        for number in range(1000):
            a, b = player.rng.randrange(100), player.rng.randrange(100)
            right += player.ask(a, b) == a + b          # calls function(a, b) in the player's process
        return {"right": right, "seconds": player.seconds}

`seconds` is measured here, where the submission cannot reach the clock; on a busy machine it holds much waiting, unlike the difference of
two `cpu_seconds()`. Questions are plain values of Python's (None, bool, int,
float, str, bytes, lists, tuples, dicts, sets), which arrive as they are. Answers are read as data: JSON, bytes, or floats.
"""

import array
import marshal
import os
import sys
import time

import bench_json
from bench_channel import Channel, PlayerFailed
from bench_cpu_time import container_seconds, processes_seconds
from bench_referee import HiddenRandom

MAX_ANSWER = 64 * 1024
HEADER = 5  # kind, length
AT_ONCE = 64 * 1024
JSON, BYTES, FLOATS = b"J", b"B", b"F"


class Player:
    """The submission, to be asked. `rng`: hidden randomness; `split`; `questions`, `seconds`: how many, and the time they took."""

    def __init__(self, order, *fds):
        self.rng = HiddenRandom(order["seed"])
        self.split = order["split"]
        self.questions = 0
        # What the questions are about, for the message of a rejection: "instance 3".
        self.context = ""
        self._channel = Channel(order, *fds)
        self._own_container = order.get("ownContainer", False)
        self._first = 1
        self._seated = False

    @property
    def seconds(self):
        """From each question's sending to its answer's arrival, in all; the submission's import is not counted."""
        return self._channel.seconds

    def cpu_seconds(self):
        """CPU time of the whole evaluation until now, the submission's and this program's: the difference of two calls tells what
        was computed in between, whatever else the machine does meanwhile. Waiting is none."""
        found = container_seconds() if self._own_container else None
        if found is not None:
            return found
        if os.path.exists("/proc/self/stat"):
            return processes_seconds(init=os.getppid())
        return time.process_time() + self.seconds

    def start(self):
        """Have the submission imported; otherwise the first question does."""
        if not self._seated:
            self._seated = True
            self._channel.seat(wire="questions")

    def renew(self):
        """Go on with a new process of the submission, which knows nothing of what was asked before: the old one, all that it started and
        all that it wrote are gone."""
        if self._seated:
            self._channel.renew()
            self._seated = False

    def ask(self, *arguments, seconds=10, max_bytes=MAX_ANSWER):
        """function(*arguments): None, a bool, number, text, list, or object with text keys. `seconds`: its time limit."""
        return self._json(self._ask(JSON, False, arguments, 1, seconds, max_bytes))

    def ask_each(self, questions, *, seconds=10, max_bytes=MAX_ANSWER):
        """The answers to many tuples of arguments, which the player gets at once: cheaper where they do not hang on each other."""
        questions = list(questions)
        if not questions:
            return []
        answers = self._json(self._ask(JSON, True, questions, len(questions), seconds, max_bytes))
        if not isinstance(answers, list) or len(answers) != len(questions):
            raise self.invalid("expected %d answers" % len(questions))
        return answers

    def ask_bytes(self, *arguments, seconds=10, max_bytes=MAX_ANSWER):
        return self._ask(BYTES, False, arguments, 1, seconds, max_bytes)

    def ask_floats(self, count, *arguments, seconds=10):
        """Exactly `count` 32-bit floats as an array.array, of a list, nested list, NumPy array or PyTorch tensor. May be NaN."""
        data = self._ask(FLOATS, False, arguments, 1, seconds, 4 * count, "%d numbers" % count)
        if len(data) != 4 * count:
            raise self.invalid("expected %d numbers, got %d" % (count, len(data) // 4))
        values = array.array("f", data)
        if sys.byteorder == "big":
            values.byteswap()
        return values

    def invalid(self, problem):
        """The exception to raise when the last answer cannot be used: it rejects the submission."""
        return PlayerFailed("The submission gave an invalid answer %s: %s" % (self.place(), problem))

    def place(self):
        about = " (%s)" % self.context if self.context else ""
        if self._first >= self.questions:
            return "in question %d%s" % (self._first, about)
        return "in questions %d to %d%s" % (self._first, self.questions, about)

    def _ask(self, kind, each, arguments, number, seconds, max_bytes, limit=None):
        self.start()
        self._first = self.questions + 1
        self.questions += number
        channel = self._channel
        channel.patience = seconds
        request = marshal.dumps((kind, each, arguments))
        with channel.attending(self.place):
            header = channel.exchange(len(request).to_bytes(4, "big") + request, HEADER, AT_ONCE)
            length = int.from_bytes(header[1:], "big")
            if header[:1] != kind:
                raise self.invalid("it is of another kind")
            if length > max_bytes:
                raise self.invalid("it has %d bytes; expected at most %s" % (length, limit or "%d bytes" % max_bytes))
            return channel.receive(length)

    def _json(self, data):
        try:
            return bench_json.parse(data.decode())
        except ValueError as error:
            raise self.invalid("it is not valid JSON: %s" % str(error)[:200]) from None
