"""Secret: the other player. Never reaches an agent's sandbox or the player's process."""

from bench_tasks.games import Choices, Table

ROUNDS = 10
GAMES = 1000


def opponent(history, rng):
    """Shows 1 in seven of ten rounds. All chance comes from rng: evaluations can be repeated."""
    return int(rng.random() < 0.7)


def payoff(own, other):
    return int(own == other)


def evaluate(table: Table) -> dict[str, float]:
    score = table.play_games(
        moves=Choices(2), rounds=ROUNDS, games=GAMES, opponent=opponent, payoff=payoff
    )
    return {"Score": score}
