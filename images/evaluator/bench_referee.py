"""What a task's evaluator/referee.py is written with.

    from bench_referee import Choices

    def evaluate(table):
        score = table.play_games(moves=Choices(2), rounds=10, games=10_000, opponent=opponent, payoff=payoff)
        return {"Score": score}

`opponent(history, rng)` sees the game so far as a list of (player's move, opponent's move); `payoff(own, other)` is the
player's. Both run here, where the submission cannot reach them. All randomness is drawn from `rng` (table.rng).
"""

import hashlib
import json
import os
import random
import signal
import struct
import time

FROM_PLAYER_FD, TO_PLAYER_FD = 3, 4
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


class PlayerFailed(Exception):
    """The submission is at fault. `ended`: its process has ended or broken the channel; how, the init process knows."""

    def __init__(self, message, ended=False):
        super().__init__(message)
        self.ended = ended


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


class Late(Exception):
    """Raised by the alarm while the player thinks."""


class Table:
    """The submission's seat at the game."""

    IMPORT_SECONDS = 60

    def __init__(self, order, from_player=FROM_PLAYER_FD, to_player=TO_PLAYER_FD):
        self.rng = HiddenRandom(order["seed"])
        self._order = order
        self._in, self._out = from_player, to_player
        self._deadline = time.monotonic() + order["timeoutSeconds"]
        self._asked = None  # since when the player has been thinking
        self._patience = self.IMPORT_SECONDS
        self._seated = False

    def play_games(self, *, moves, rounds, games, opponent, payoff, move_seconds=10):
        """Mean payoff per round over all games. Each round the player moves first, not knowing the opponent's move."""
        count, decode, encode, check = moves.count, moves.decode, moves.encode, moves.problem
        new_game = bytes((NEW_GAME,)) * count
        total = 0
        where = None
        self._start_alarm()
        try:
            self._seat(moves)
            self._patience = move_seconds
            for game in range(games):
                history = []
                request = new_game
                for turn in range(rounds):
                    where = (game, turn)
                    own = decode(self._exchange(request, count))
                    problem = check(own)
                    if problem is not None:
                        message = "The submission made an invalid move %s: %s"
                        raise PlayerFailed(message % (place(where), problem))
                    other = opponent(history, self.rng)
                    total += payoff(own, other)
                    history.append((own, other))
                    request = encode(other)
        except Late:
            raise self._too_late(place(where)) from None
        except BrokenPipeError:
            raise PlayerFailed("The submission failed %s" % place(where), ended=True) from None
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        return total / (rounds * games)

    def _seat(self, moves):
        """Hand the player its order and wait until the submission is imported."""
        if self._seated:
            raise RuntimeError("a table is played at once")
        self._seated = True
        order = {
            "module": self._order["module"],
            "function": self._order["function"],
            "seed": self._order["playerSeed"],
            "count": moves.count,
            "low": moves.low,
            "high": moves.high,
        }
        data = json.dumps(order).encode()
        self._exchange(len(data).to_bytes(4, "big") + data, 1)

    def _exchange(self, request, count):
        self._asked = time.monotonic()
        try:
            os.write(self._out, request)
            data = os.read(self._in, count)
            while len(data) < count:
                more = os.read(self._in, count - len(data))
                if not more:
                    raise BrokenPipeError
                data += more
        finally:
            self._asked = None
        return data

    def _start_alarm(self):
        """A clock beside the game costs no system call per move, as a time limit on each read would."""
        signal.signal(signal.SIGALRM, self._on_alarm)
        signal.setitimer(signal.ITIMER_REAL, 0.1, 0.1)

    def _on_alarm(self, *_):
        now = time.monotonic()
        if self._asked is not None and (now > self._deadline or now - self._asked > self._patience):
            raise Late

    def _too_late(self, where):
        if time.monotonic() > self._deadline:
            limit = self._order["timeoutSeconds"]
            return PlayerFailed("The time limit of %s s for the whole evaluation ran out %s" % (limit, where))
        return PlayerFailed("The submission took longer than %s s %s" % (self._patience, where))


def place(where):
    return "while it was imported" if where is None else "in game %d, round %d" % (where[0] + 1, where[1] + 1)
