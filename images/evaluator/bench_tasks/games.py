"""Games against a submitted function: what a referee.py of kind `game` is written with.

    from bench_tasks.games import Choices, Table

    def evaluate(table: Table) -> dict[str, float]:
        score = table.play_games(
            moves=Choices(2), rounds=10, games=10_000, opponent=opponent, payoff=payoff
        )
        return {"Score": score}

`opponent(history, rng)` sees the game so far as a list of (player's move, opponent's move);
`payoff(own, other)` is the player's. Both run here, where the submission cannot reach them.
All randomness is drawn from `rng` (`table.rng`).
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, TypeVar

from .channel import Channel
from .hidden_random import HiddenRandom
from .rejected import PlayerFailed

if TYPE_CHECKING:
    from .order import RefereeOrder

NEW_GAME = 255

Move = TypeVar("Move")
#: (player's move, opponent's move) of each round so far.
History = list[tuple[Move, Move]]


class Moves(Protocol[Move]):
    """What a move is, and how it travels: `count` bytes from `low` to `high`."""

    @property
    def count(self) -> int: ...
    @property
    def low(self) -> int: ...
    @property
    def high(self) -> int: ...
    def decode(self, data: bytes | bytearray) -> Move: ...
    def encode(self, move: Move) -> bytes: ...
    def problem(self, move: Move) -> str | None: ...


class Choices:
    """A move is one integer from 0 to n - 1."""

    count = 1
    low = 0

    def __init__(self, n: int) -> None:
        self.high = n - 1

    def decode(self, data: bytes | bytearray) -> int:
        """The move that these bytes are."""
        return data[0]

    def encode(self, move: int) -> bytes:
        """The bytes of a move."""
        return bytes((move,))

    def problem(self, move: int) -> str | None:
        """What is wrong with the move; None: nothing."""
        return None if move <= self.high else f"{move} is not in 0..{self.high}"


def _no_rule(_: list[int]) -> str | None:
    return None


class Integers:
    """A move is a list of `count` integers from `low` to `high`, with a rule of its own.

    `rule(move)` returns what else is wrong with a move, or None.
    Raises ValueError unless count is at least 2 and 0 <= low <= high < 255.
    """

    def __init__(
        self,
        count: int,
        low: int,
        high: int,
        rule: Callable[[list[int]], str | None] = _no_rule,
    ) -> None:
        if count < 2 or not 0 <= low <= high < NEW_GAME:
            raise ValueError(f"count must be at least 2, and 0 <= low <= high < {NEW_GAME}")
        self.count, self.low, self.high, self.rule = count, low, high, rule

    def decode(self, data: bytes | bytearray) -> list[int]:
        """The move that these bytes are."""
        return list(data)

    def encode(self, move: list[int]) -> bytes:
        """The bytes of a move."""
        return bytes(move)

    def problem(self, move: list[int]) -> str | None:
        """What is wrong with the move; None: nothing."""
        for value in move:
            if not self.low <= value <= self.high:
                return f"{value} is not in {self.low}..{self.high}"
        return self.rule(move)


class Table:
    """The submission's seat at the game."""

    #: This evaluation's hidden randomness.
    rng: HiddenRandom

    def __init__(self, order: RefereeOrder, *fds: int) -> None:
        self.rng = HiddenRandom(order["seed"])
        self._channel = Channel(order, *fds)
        self._seated = False

    def play_games(
        self,
        *,
        moves: Moves[Move],
        rounds: int,
        games: int,
        opponent: Callable[[History[Move], random.Random], Move],
        payoff: Callable[[Move, Move], float],
        move_seconds: float = 10,
    ) -> float:
        """Mean payoff per round over all games.

        Each round the player moves first, not knowing the opponent's move; `move_seconds` limits
        one move. May be called once. An invalid or late move rejects the submission.
        """
        if self._seated:
            raise RuntimeError("a table is played at once")
        self._seated = True
        channel = self._channel
        count, decode, encode = moves.count, moves.decode, moves.encode
        check, exchange = moves.problem, channel.exchange
        new_game = bytes((NEW_GAME,)) * count
        total = 0.0
        game = turn = 0

        def place() -> str:
            return f"in game {game + 1}, round {turn + 1}"

        channel.seat(wire="game", count=count, low=moves.low, high=moves.high)
        channel.patience = move_seconds
        with channel.attending(place):
            for game in range(games):
                history: History[Move] = []
                request = new_game
                for turn in range(rounds):
                    own = decode(exchange(request, count))
                    problem = check(own)
                    if problem is not None:
                        raise PlayerFailed(
                            f"The submission made an invalid move {place()}: {problem}"
                        )
                    other = opponent(history, self.rng)
                    total += payoff(own, other)
                    history.append((own, other))
                    request = encode(other)
        return total / (rounds * games)
