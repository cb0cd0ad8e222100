"""What a task's evaluator/referee.py is written with.

    from bench_referee import Choices

    def evaluate(table):
        score = table.play_games(moves=Choices(2), rounds=10, games=10_000, opponent=opponent, payoff=payoff)
        return {"Score": score}

`opponent(history, rng)` sees the game so far as a list of (player's move, opponent's move); `payoff(own, other)` is the
player's. Both run here, where the submission cannot reach them. All randomness is drawn from `rng` (table.rng).
"""

import hashlib
import random
import struct

from bench_channel import Channel, PlayerFailed

NEW_GAME = 255


class Choices:
    """A move is one integer from 0 to n - 1."""

    def __init__(self, n):
        self.count, self.low, self.high = 1, 0, n - 1

    def decode(self, data):
        return data[0]

    def encode(self, move):
        return bytes((move,))

    def problem(self, move):
        return None if move <= self.high else "%d is not in 0..%d" % (move, self.high)


class Integers:
    """A move is a list of `count` integers from low to high; `rule(move)` may name a further problem, or return None."""

    def __init__(self, count, low, high, rule=lambda move: None):
        if count < 2 or not 0 <= low <= high < NEW_GAME:
            raise ValueError("count must be at least 2, and 0 <= low <= high < %d" % NEW_GAME)
        self.count, self.low, self.high, self.rule = count, low, high, rule

    def decode(self, data):
        return list(data)

    def encode(self, move):
        return bytes(move)

    def problem(self, move):
        for value in move:
            if not self.low <= value <= self.high:
                return "%d is not in %d..%d" % (value, self.low, self.high)
        return self.rule(move)


class HiddenRandom(random.Random):
    """Random numbers from a hash stream: unlike the default generator's, later ones cannot be computed from earlier ones."""

    BLOCK = 8192

    def __init__(self, seed):
        self._key = bytes.fromhex(seed)
        self._block = 0
        self._values = iter(())
        super().__init__(0)

    def seed(self, *_):
        pass

    def _next(self):
        for (value,) in self._values:
            return value
        data = hashlib.shake_256(self._key + self._block.to_bytes(8, "big")).digest(self.BLOCK)
        self._block += 1
        self._values = struct.iter_unpack("<Q", data)
        return next(self._values)[0]

    def random(self):
        return (self._next() >> 11) * 2.0**-53

    def getrandbits(self, k):
        value = 0
        for _ in range(0, k, 64):
            value = value << 64 | self._next()
        return value >> (-k % 64)


class Table:
    """The submission's seat at the game."""

    def __init__(self, order, *fds):
        self.rng = HiddenRandom(order["seed"])
        self._channel = Channel(order, *fds)
        self._seated = False

    def play_games(self, *, moves, rounds, games, opponent, payoff, move_seconds=10):
        """Mean payoff per round over all games. Each round the player moves first, not knowing the opponent's move."""
        if self._seated:
            raise RuntimeError("a table is played at once")
        self._seated = True
        channel = self._channel
        count, decode, encode, check, exchange = moves.count, moves.decode, moves.encode, moves.problem, channel.exchange
        new_game = bytes((NEW_GAME,)) * count
        total = 0
        game = turn = 0

        def place():
            return "in game %d, round %d" % (game + 1, turn + 1)

        channel.seat(wire="game", count=count, low=moves.low, high=moves.high)
        channel.patience = move_seconds
        with channel.attending(place):
            for game in range(games):
                history = []
                request = new_game
                for turn in range(rounds):
                    own = decode(exchange(request, count))
                    problem = check(own)
                    if problem is not None:
                        raise PlayerFailed("The submission made an invalid move %s: %s" % (place(), problem))
                    other = opponent(history, self.rng)
                    total += payoff(own, other)
                    history.append((own, other))
                    request = encode(other)
        return total / (rounds * games)
