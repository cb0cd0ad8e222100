"""Questions to a submitted function: what a referee.py of kind `questions` is written with.

    from bench_tasks.questions import Player

    def evaluate(player: Player) -> dict[str, float]:
        right = 0
        for number in range(1000):
            a, b = player.rng.randrange(100), player.rng.randrange(100)
            right += player.ask(a, b) == a + b  # calls function(a, b) in the player's process
        return {"right": right, "seconds": player.seconds}

`seconds` is measured here, where the submission cannot reach the clock; on a busy machine it holds
much waiting, unlike the difference of two `cpu_seconds()`. Questions are plain values of Python's
(None, bool, int, float, str, bytes, lists, tuples, dicts, sets), which arrive as they are. Answers
are read as data: JSON, bytes, or floats.
"""

from __future__ import annotations

import array
import marshal
import os
import sys
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from . import strict_json
from .channel import Channel
from .cpu_time import container_seconds, processes_seconds
from .hidden_random import HiddenRandom
from .rejected import PlayerFailed

if TYPE_CHECKING:
    from .order import RefereeOrder

MAX_ANSWER = 64 * 1024
HEADER = 5  # kind, length
AT_ONCE = 64 * 1024
JSON, BYTES, FLOATS = b"J", b"B", b"F"


class Player:
    """The submission, to be asked.

    A late, broken or invalid answer raises PlayerFailed, which rejects the submission: let it pass.
    """

    #: This evaluation's hidden randomness.
    rng: HiddenRandom
    #: "validation" or "test".
    split: str
    #: How many were asked.
    questions: int
    #: What the questions are about, for the message of a rejection: "instance 3".
    context: str

    def __init__(self, order: RefereeOrder, *fds: int) -> None:
        self.rng = HiddenRandom(order["seed"])
        self.split = order["split"]
        self.questions = 0
        self.context = ""
        self._channel = Channel(order, *fds)
        self._own_container = order.get("ownContainer", False)
        self._first = 1
        self._seated = False

    @property
    def seconds(self) -> float:
        """From each question's sending to its answer's arrival, in all; imports do not count."""
        return self._channel.seconds

    def cpu_seconds(self) -> float:
        """CPU time of the whole evaluation until now, the submission's and this program's.

        The difference of two calls tells what was computed in between, whatever else the machine
        does meanwhile. Waiting is none.
        """
        found = container_seconds() if self._own_container else None
        if found is not None:
            return found
        if os.path.exists("/proc/self/stat"):
            return processes_seconds(init=os.getppid())
        return time.process_time() + self.seconds

    def start(self) -> None:
        """Have the submission imported; otherwise the first question does."""
        if not self._seated:
            self._seated = True
            self._channel.seat(wire="questions")

    def renew(self) -> None:
        """Go on with a new process of the submission, which knows of no question before.

        The old one, all that it started and all that it wrote are gone.
        """
        if self._seated:
            self._channel.renew()
            self._seated = False

    def ask(self, *arguments: Any, seconds: float = 10, max_bytes: int = MAX_ANSWER) -> Any:
        """function(*arguments): None, a bool, number, text, list, or object with text keys.

        `seconds`: its time limit. `max_bytes`: longest answer, as JSON.
        """
        return self._json(self._ask(JSON, False, arguments, 1, seconds, max_bytes))

    def ask_each(
        self,
        questions: Iterable[tuple[Any, ...]],
        *,
        seconds: float = 10,
        max_bytes: int = MAX_ANSWER,
    ) -> list[Any]:
        """The answers to many tuples of arguments, which the player gets at once.

        Cheaper where they do not hang on each other. The limits are for all of them together.
        """
        questions = list(questions)
        if not questions:
            return []
        data = self._ask(JSON, True, questions, len(questions), seconds, max_bytes)
        answers = self._json(data)
        if not isinstance(answers, list) or len(answers) != len(questions):
            raise self.invalid(f"expected {len(questions)} answers")
        return answers

    def ask_bytes(self, *arguments: Any, seconds: float = 10, max_bytes: int = MAX_ANSWER) -> bytes:
        """function(*arguments), of bytes or what has a buffer."""
        return bytes(self._ask(BYTES, False, arguments, 1, seconds, max_bytes))

    def ask_floats(self, count: int, *arguments: Any, seconds: float = 10) -> array.array[float]:
        """Exactly `count` 32-bit floats, row by row; they may be NaN.

        The function may return a list, nested lists, a NumPy array or a PyTorch tensor.
        """
        limit = f"{count} numbers"
        data = self._ask(FLOATS, False, arguments, 1, seconds, 4 * count, limit)
        if len(data) != 4 * count:
            raise self.invalid(f"expected {count} numbers, got {len(data) // 4}")
        values = array.array("f", data)
        if sys.byteorder == "big":
            values.byteswap()
        return values

    def invalid(self, problem: str) -> PlayerFailed:
        """The exception to raise when the last answer cannot be used: rejects the submission."""
        return PlayerFailed(f"The submission gave an invalid answer {self.place()}: {problem}")

    def place(self) -> str:
        """Where we are, in words: `in question 7 (instance 3)`."""
        about = f" ({self.context})" if self.context else ""
        if self._first >= self.questions:
            return f"in question {self._first}{about}"
        return f"in questions {self._first} to {self.questions}{about}"

    def _ask(
        self,
        kind: bytes,
        each: bool,
        arguments: Any,
        number: int,
        seconds: float,
        max_bytes: int,
        limit: str | None = None,
    ) -> bytes | bytearray:
        self.start()
        self._first = self.questions + 1
        self.questions += number
        channel = self._channel
        channel.patience = seconds
        request = marshal.dumps((kind, each, arguments))
        with channel.attending(self.place):
            order = len(request).to_bytes(4, "big") + request
            header = channel.exchange(order, HEADER, AT_ONCE)
            length = int.from_bytes(header[1:], "big")
            if header[:1] != kind:
                raise self.invalid("it is of another kind")
            if length > max_bytes:
                most = limit or f"{max_bytes} bytes"
                raise self.invalid(f"it has {length} bytes; expected at most {most}")
            return channel.receive(length)

    def _json(self, data: bytes | bytearray) -> Any:
        try:
            return strict_json.parse(data.decode())
        except ValueError as error:
            raise self.invalid(f"it is not valid JSON: {str(error)[:200]}") from None
