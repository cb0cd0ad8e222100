import random


def heuristic_fn(clauses, assignments, conflict_count, assignment_history, level):
    """Any unassigned variable of the clauses that are not satisfied yet; true first."""
    random.seed(10)
    free = sorted({abs(literal) for clause in clauses for literal in clause}.difference(assignments))
    return random.choice(free), True
