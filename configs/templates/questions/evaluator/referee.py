"""Secret: the questions and their answers."""

from bench_files import Rejected

QUESTIONS = 400


def prime(number):
    return all(number % divisor for divisor in range(2, int(number**0.5) + 1))


def evaluate(player):
    right = 0
    for _ in range(QUESTIONS):
        number = player.rng.randrange(2, 10_000)
        answer = player.ask(number)
        if not isinstance(answer, bool):
            raise Rejected("is_prime(%d) returned %.80r; expected True or False" % (number, answer))
        right += answer == prime(number)
    return {"accuracy": right / QUESTIONS}
