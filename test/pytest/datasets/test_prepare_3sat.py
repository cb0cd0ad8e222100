"""Made instances of MLGym's 3-SAT task."""

from __future__ import annotations

import random
from itertools import product

from prepare_3sat import instances


def test_are_the_same_each_time_of_each_size_three_distinct_variables_in_a_clause() -> None:
    found = instances(random.Random("a"), 1)
    assert found == instances(random.Random("a"), 1)
    assert found != instances(random.Random("b"), 1)
    assert len(found) == 80
    assert len({(variables, clauses) for _, variables, clauses, *_ in found}) == 80
    assert found[0][:3] == (1, 3, 6)
    for _, variables, clauses, formula, _, _ in found:
        assert len(formula) == clauses
        for clause in formula:
            assert len({abs(literal) for literal in clause}) == 3
            assert all(1 <= abs(literal) <= variables for literal in clause)


def test_have_the_answers_that_trying_each_assignment_gives() -> None:
    def tried(variables: int, formula: list[list[int]]) -> bool:
        return any(
            all(any(values[abs(x) - 1] == (x > 0) for x in clause) for clause in formula)
            for values in product((False, True), repeat=variables)
        )

    found = [each for each in instances(random.Random("c"), 2) if each[1] <= 6]
    assert all(tried(variables, formula) == yes for _, variables, _, formula, yes, _ in found)
    assert 10 < sum(yes for *_, yes, _ in found) < 70
