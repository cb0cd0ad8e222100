"""Counts the decisions of a solver that branches as the submission says, on hidden instances, and takes its time."""

import json
import time

from bench_tasks.questions import Player

# What `first_free` takes for one instance, on average over all kinds, on the machine whose seconds `Time` is in: one on which the starter
# takes the 16.158 s for 24,000 instances that MLGym published.
STANDARD_SECONDS = 0.000358


def evaluate(player: Player) -> dict[str, float]:
    with open(player.split + ".jsonl", encoding="utf-8") as file:
        instances = [json.loads(line) for line in file]
    player.start()
    decisions = incorrect = 0
    # Decisions rank: no machine, and nothing that the submission does beside, changes their number. The time stands beside them.
    # A core may do half the work in the same CPU time, from one minute to the next: what else shares it, its caches and its clock
    # decides. So each instance is also solved by a yardstick, at once, and the submission is told in its measure.
    yardstick = 0.0
    started = player.cpu_seconds()
    for number, instance in enumerate(instances, 1):
        player.context = f"instance {number}"
        solver = Solver(instance["variables"], Chooser(player))
        incorrect += solver.satisfiable(instance["clauses"], {}) != instance["satisfiable"]
        decisions += solver.decisions
        began = time.process_time()
        Solver(instance["variables"], first_free).satisfiable(instance["clauses"], {})
        yardstick += time.process_time() - began
    # All other CPU time counts, the solver's own too: nothing is gained by thinking on while it is not one's turn, or in another
    # process, nor by keeping the machine busy under the yardstick.
    measured = player.cpu_seconds() - started - yardstick
    return {
        "Decisions": decisions,
        "Time": measured / yardstick * STANDARD_SECONDS * len(instances),
        "Correct": len(instances) - incorrect,
        "Incorrect": incorrect,
        "Measured": measured,
    }


def first_free(clauses, assignments, *_):
    """The yardstick's choice. It asks nobody, so that no submission can delay it."""
    return next(abs(literal) for clause in clauses for literal in clause if abs(literal) not in assignments), True


class Chooser:
    """Asks the submission, and takes no answer but an unassigned variable and the value to try first."""

    def __init__(self, player):
        self.player = player

    def __call__(self, clauses, assignments, conflict_count, history, level):
        answer = self.player.ask(clauses, assignments, conflict_count, history, level)
        if not isinstance(answer, list) or len(answer) != 2 or type(answer[0]) is not int or type(answer[1]) is not bool:
            raise self.player.invalid(f"expected (variable, True or False), got {answer!r:.100}")
        if answer[0] not in conflict_count or answer[0] in assignments:
            raise self.player.invalid(f"{answer[0]} is not an unassigned variable")
        return answer


class Solver:
    """Depth-first search with unit propagation (DPLL), without learning. `choose` is heuristic_fn."""

    def __init__(self, variables, choose):
        self.choose = choose
        self.conflict_count = dict.fromkeys(range(1, variables + 1), 0)
        self.history, self.level = [], []
        self.decisions = 0

    def satisfiable(self, clauses, assignments):
        """Whether the assignments can be completed so that all clauses hold."""
        assignments = dict(assignments)
        clauses = self.propagated(clauses, assignments)
        if clauses is None:
            return False
        if not clauses:
            return True
        self.decisions += 1
        variable, value = self.choose(clauses, assignments, self.conflict_count, self.history, self.level)
        for attempt in (value, not value):
            self.level.append([variable])
            self.history.append(variable)
            assignments[variable] = attempt
            if self.satisfiable(clauses, assignments):
                return True
            self.level.pop()
        return False

    def propagated(self, clauses, assignments):
        """Assigns what single free literals force. The clauses that are not satisfied; None: one cannot be any more."""
        while True:
            true = {variable if value else -variable for variable, value in assignments.items()}
            left, forced, conflict = [], None, False
            for clause in clauses:
                first, second, third = clause
                if first in true or second in true or third in true:
                    continue
                free = [literal for literal in clause if -literal not in true]
                if not free:
                    conflict = True
                    for literal in clause:
                        self.conflict_count[abs(literal)] += 1
                elif len(free) == 1:
                    forced = free[0]
                left.append(clause)
            if conflict:
                return None
            if forced is None:
                return left
            clauses = left
            assignments[abs(forced)] = forced > 0
            self.history.append(abs(forced))
            if self.level:
                self.level[-1].append(abs(forced))
