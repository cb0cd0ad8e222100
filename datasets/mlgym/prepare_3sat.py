"""Makes the instances of MLGym's 3-SAT task, which are not published: uniformly random formulas,
their answers by trying all assignments.
"""

import pickle
import random
from typing import Any

from bench_tasks.prepare import Data

VARIABLES = range(3, 11)
CLAUSES_PER_VARIABLE = range(2, 12)
SCORED, PRACTICE, SAMPLE = 300, 30, 3  # formulas of each size and ratio


def prepare(data: Data) -> None:
    write(
        data.hidden_path("inputs/test/data/dataset.pkl"),
        instances(data.rng("scored"), SAMPLE if data.sample else SCORED),
    )
    write(
        data.agent_path("data/dataset.pkl"),
        instances(data.rng("practice"), SAMPLE if data.sample else PRACTICE),
    )


def write(path: str, found: list[Any]) -> None:
    with open(path, "wb") as file:
        pickle.dump(found, file, protocol=4)


def instances(rng: random.Random, each: int) -> list[Any]:
    """As MLGym's evaluator unpacks them.

    (index from 1, variables, clauses, formula, satisfiable, None)
    """
    found: list[Any] = []
    for variables in VARIABLES:
        columns = truth_table(variables)
        for ratio in CLAUSES_PER_VARIABLE:
            for _ in range(each):
                formula = [clause(rng, variables) for _ in range(ratio * variables)]
                found.append(
                    (
                        len(found) + 1,
                        variables,
                        len(formula),
                        formula,
                        satisfiable(formula, columns),
                        None,
                    )
                )
    return found


def clause(rng: random.Random, variables: int) -> list[int]:
    return [
        variable if rng.random() < 0.5 else -variable
        for variable in rng.sample(range(1, variables + 1), 3)
    ]


def truth_table(variables: int) -> dict[int, int]:
    """For each literal an integer whose bit i says whether assignment i makes it true."""
    every = (1 << (1 << variables)) - 1
    columns = {}
    for variable in range(1, variables + 1):
        column = sum(
            1 << assignment
            for assignment in range(1 << variables)
            if assignment >> (variable - 1) & 1
        )
        columns[variable], columns[-variable] = column, every ^ column
    return columns


def satisfiable(formula: list[list[int]], columns: dict[int, int]) -> bool:
    models = -1
    for a, b, c in formula:
        models &= columns[a] | columns[b] | columns[c]
        if not models:
            return False
    return True
