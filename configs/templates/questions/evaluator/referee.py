"""Secret: the questions and their answers."""

from bench_tasks.questions import Player
from bench_tasks.rejected import Rejected

QUESTIONS = 400


def prime(number):
    return all(number % divisor for divisor in range(2, int(number**0.5) + 1))


def evaluate(player: Player) -> dict[str, float]:
    right = 0
    for _ in range(QUESTIONS):
        number = player.rng.randrange(2, 10_000)
        answer = player.ask(number)
        if not isinstance(answer, bool):
            raise Rejected(f"is_prime({number}) returned {answer!r:.80}; expected True or False")
        right += answer == prime(number)
    return {"accuracy": right / QUESTIONS}
