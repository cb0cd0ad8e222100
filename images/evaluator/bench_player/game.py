"""Plays a game with the submission's function, one call per move.

Wire: per move a request of `count` bytes - all 255: a new game begins; else the opponent's last
move - and our move in `count` bytes.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Callable
from typing import Any, NoReturn

from .pipe import TO_REFEREE_FD, InvalidAnswer, receive

NEW_GAME = 255


def play(order: dict[str, Any], function: Callable[..., Any]) -> NoReturn:
    count, low, high, name = order["count"], order["low"], order["high"], order["function"]

    def scalar(move: Any) -> int:
        value: int | None
        try:
            value = operator.index(move)
        except TypeError:
            value = None
        if value is None or not low <= value <= high:
            raise InvalidAnswer(
                f"{name} returned {move!r:.200}; expected an integer from {low} to {high}"
            )
        return value

    def sequence(move: Any) -> list[int]:
        if not isinstance(move, (list, tuple)) or len(move) != count:
            raise InvalidAnswer(
                f"{name} returned {move!r:.200}; expected a list of {count} integers"
            )
        return [scalar(value) for value in move]

    encode: Callable[[Any], Any] = (lambda move: (scalar(move),)) if count == 1 else sequence
    decode: Callable[[Any], Any] = (lambda data: data[0]) if count == 1 else list
    new_game = bytes((NEW_GAME,)) * count
    history: list[Any] = []
    own: Any = None
    while True:
        request = receive(count)
        if request == new_game:
            history = []
        else:
            history.append((own, decode(request)))
        move = encode(function(copy(history, count)))
        own = move[0] if count == 1 else move
        os.write(TO_REFEREE_FD, bytes(move))


def copy(history: list[Any], count: int) -> list[Any]:
    """The function may do as it likes with its argument."""
    return list(history) if count == 1 else [(list(own), list(other)) for own, other in history]
