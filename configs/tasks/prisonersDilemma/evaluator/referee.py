"""Secret: the opponent. Never reaches an agent's sandbox or the player's process."""

from bench_tasks.games import Choices, Table

ROUNDS = 10
GAMES = 10_000
PAYOFF = {(0, 0): 3, (0, 1): 0, (1, 0): 5, (1, 1): 1}

# The rules. 0 cooperates, 1 defects; history: (row player's move, own move) per round of this game.


def noisy(history, rng):
    if not history:
        return 1
    theirs, own = history[-1]
    draw = rng.random()
    if draw < 0.3333:
        return 0
    if draw < 0.5:
        return 1
    if draw < 0.9:
        return own
    return 1 - theirs


def tit_for_tat(history, rng):
    return history[-1][0] if history else 0


def cooperate(history, rng):
    return 0


def defect(history, rng):
    return 1


def coin(history, rng):
    return int(rng.random() < 0.5)


def grim_trigger(history, rng):
    return int(any(theirs == 1 for theirs, _ in history))


def pavlov(history, rng):
    return int(history[-1][0] != history[-1][1]) if history else 0


def defected_twice(history):
    return len(history) >= 2 and history[-1][0] == history[-2][0] == 1


def tit_for_two_tats(history, rng):
    return int(defected_twice(history))


def suspicious_tit_for_tat(history, rng):
    return history[-1][0] if history else 1


def forgiving_tit_for_tat(history, rng):
    return 0 if defected_twice(history) else tit_for_tat(history, rng)


# `coin` stands here twice, as in the game that this restates.
RULES = (
    noisy,
    tit_for_tat,
    cooperate,
    defect,
    coin,
    grim_trigger,
    pavlov,
    tit_for_two_tats,
    suspicious_tit_for_tat,
    coin,
    forgiving_tit_for_tat,
)


def opponent(history, rng):
    """Plays by a rule that is drawn anew every round."""
    return RULES[int(rng.random() * len(RULES))](history, rng)


def payoff(own, other):
    return PAYOFF[own, other]


def evaluate(table: Table) -> dict[str, float]:
    score = table.play_games(
        moves=Choices(2), rounds=ROUNDS, games=GAMES, opponent=opponent, payoff=payoff
    )
    return {"Score": score}
