"""Makes the instances of MLGym's 3-SAT task, which are not published: uniformly random formulas, their answers by trying all assignments."""

import pickle

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


def write(path, found):
    with open(path, "wb") as file:
        pickle.dump(found, file, protocol=4)


def instances(rng, each):
    """(index from 1, variables, clauses, formula, satisfiable, None), as MLGym's evaluator unpacks them."""
    found = []
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


def clause(rng, variables):
    return [
        variable if rng.random() < 0.5 else -variable
        for variable in rng.sample(range(1, variables + 1), 3)
    ]


def truth_table(variables):
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


def satisfiable(formula, columns):
    models = -1
    for a, b, c in formula:
        models &= columns[a] | columns[b] | columns[c]
        if not models:
            return False
    return True
