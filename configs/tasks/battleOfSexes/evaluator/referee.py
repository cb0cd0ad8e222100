"""Secret: the opponent. Never reaches an agent's sandbox or the player's process."""

from bench_tasks.games import Choices, Table

ROUNDS = 10
GAMES = 10_000
PAYOFF = {(0, 0): 2, (1, 1): 1, (0, 1): 0, (1, 0): 0}


def opponent(history, rng):
    """Opens with 1; then repeats the row player's first move of the game with probability 0.8, each
    round anew.
    """
    if not history:
        return 1
    first_move = history[0][0]
    return first_move if rng.random() < 0.8 else 1 - first_move


def payoff(own, other):
    return PAYOFF[own, other]


def evaluate(table: Table) -> dict[str, float]:
    score = table.play_games(
        moves=Choices(2), rounds=ROUNDS, games=GAMES, opponent=opponent, payoff=payoff
    )
    return {"Score": score}
