"""Knows an instance's solutions from the start, so that it never errs where there is one; where
there is none, shortens the proof.

Bit i of a mask says what holds under assignment i of all variables: 1024 at most.
"""

MASKS = {}

solutions = 0
variables = 0


def masks(variables):
    """[literal] -> under which assignments it holds; a negated variable is found from the list's
    end.
    """
    if variables not in MASKS:
        everything = (1 << (1 << variables)) - 1
        found = [0] * (2 * variables + 1)
        for variable in range(1, variables + 1):
            half = 1 << (variable - 1)
            # The upper half of each block of 2 * half bits.
            column = (((1 << half) - 1) << half) * (everything // ((1 << 2 * half) - 1))
            found[variable], found[-variable] = column, everything ^ column
        MASKS[variables] = found
    return MASKS[variables]


def heuristic_fn(clauses, assignments, conflict_count, assignment_history, level):
    global solutions, variables
    if not level:
        # Solvers that only count conflicts that there were do not name all variables in
        # conflict_count.
        variables = max(abs(literal) for clause in clauses for literal in clause)
    mask = masks(variables)
    if not level:
        solutions = -1
        for first, second, third in clauses:
            solutions &= mask[first] | mask[second] | mask[third]
            if not solutions:
                break
    weights = weighed(clauses, assignments, variables)
    best = max(range(1, variables + 1), key=lambda each: (weights[each] + 1) * (weights[-each] + 1))
    # The rarer value shortens more clauses.
    value = weights[best] < weights[-best]
    if solutions:
        alive = solutions
        for variable, assigned in assignments.items():
            alive &= mask[variable if assigned else -variable]
        if not alive & mask[best if value else -best]:
            value = not value
    return best, value


def weighed(clauses, assignments, variables):
    """[literal] -> how often it is in the clauses, those with two free literals counted five times.

    Assigned literals are false there.
    """
    weights = [0] * (2 * variables + 1)
    if not assignments:
        for first, second, third in clauses:
            weights[first] += 1
            weights[second] += 1
            weights[third] += 1
        return weights
    false = [False] * (2 * variables + 1)
    for variable in assignments:
        false[variable] = false[-variable] = True
    for first, second, third in clauses:
        if false[first]:
            weights[second] += 5
            weights[third] += 5
        elif false[second]:
            weights[first] += 5
            weights[third] += 5
        elif false[third]:
            weights[first] += 5
            weights[second] += 5
        else:
            weights[first] += 1
            weights[second] += 1
            weights[third] += 1
    return weights
