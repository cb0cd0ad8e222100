"""Secret: the opponent. Never reaches an agent's sandbox or the player's process."""

from bench_tasks.games import Integers, Table

ROUNDS = 10
GAMES = 10_000
SOLDIERS = 120
FIELDS = 6


def opponent(history, rng):
    """Ignores the game: six even draws from 0..120, scaled down to 120 in all; what rounding leaves
    goes to one field.
    """
    random = rng.random
    drawn = [0] * FIELDS
    while not any(drawn):
        drawn = [int(random() * (SOLDIERS + 1)) for _ in drawn]
    total = sum(drawn)
    fields = [value * SOLDIERS // total for value in drawn]
    fields[int(random() * FIELDS)] += SOLDIERS - sum(fields)
    return fields


def payoff(own, other):
    """1, 0 or -1 for more, as many or fewer fields won than the opponent."""
    lead = sum((mine > theirs) - (mine < theirs) for mine, theirs in zip(own, other, strict=True))
    return (lead > 0) - (lead < 0)


def too_many(move):
    total = sum(move)
    return None if total <= SOLDIERS else f"{total} soldiers in all, but there are only {SOLDIERS}"


def evaluate(table: Table) -> dict[str, float]:
    moves = Integers(FIELDS, 0, SOLDIERS, too_many)
    score = table.play_games(
        moves=moves, rounds=ROUNDS, games=GAMES, opponent=opponent, payoff=payoff
    )
    return {"Score": score}
