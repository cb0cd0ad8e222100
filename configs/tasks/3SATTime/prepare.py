"""Random 3-SAT instances of 80 kinds.

3 to 10 variables, 2 to 11 times as many clauses; equally many of each, in that order.
"""

import json

from bench_tasks.prepare import Data

VARIABLES = range(3, 11)
RATIOS = range(2, 12)
# Of each kind.
SCORED, PRACTICE = 300, 30
SAMPLE_SCORED, SAMPLE_PRACTICE = 30, 3


def prepare(data: Data) -> None:
    scored, practice = (SAMPLE_SCORED, SAMPLE_PRACTICE) if data.sample else (SCORED, PRACTICE)
    write(data.agent_path("data/practice.jsonl"), data.rng("practice"), practice)
    for split in ("validation", "test"):
        write(data.hidden_path(split + ".jsonl"), data.rng(split), scored)


def write(path, rng, each):
    with open(path, "w", encoding="utf-8") as file:
        for variables in VARIABLES:
            for ratio in RATIOS:
                for _ in range(each):
                    clauses = formula(rng, variables, ratio * variables)
                    instance = {
                        "variables": variables,
                        "satisfiable": satisfiable(variables, clauses),
                        "clauses": clauses,
                    }
                    file.write(json.dumps(instance, separators=(",", ":")) + "\n")


def formula(rng, variables, count):
    """Clauses of three different variables each, all evenly drawn, each negated or not with equal
    chance.
    """
    random, numbers, clauses = rng.random, range(1, variables + 1), []
    for _ in range(count):
        clauses.append([number if random() < 0.5 else -number for number in rng.sample(numbers, 3)])
    return clauses


def satisfiable(variables, clauses):
    """By all assignments at once: bit i of a number says what holds under assignment i."""
    everything = (1 << (1 << variables)) - 1
    left = everything
    for clause in clauses:
        holds = 0
        for literal in clause:
            column = TRUE[variables][abs(literal)]
            holds |= column if literal > 0 else everything ^ column
        left &= holds
    return left != 0


# TRUE[n][v]: under which of the 2 ** n assignments variable v is true.
TRUE = {
    n: [0] + [sum(1 << i for i in range(1 << n) if i >> (v - 1) & 1) for v in range(1, n + 1)]
    for n in VARIABLES
}
