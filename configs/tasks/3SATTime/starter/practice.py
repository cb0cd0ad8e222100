"""`python3 practice.py`: solves the instances of data/practice.jsonl with heuristic.py and prints what it took."""

import json
import time

from heuristic import heuristic_fn
from solver import Solver

with open("data/practice.jsonl", encoding="utf-8") as file:
    instances = [json.loads(line) for line in file]
decisions = incorrect = 0
started = time.process_time()
for instance in instances:
    solver = Solver(instance["variables"], heuristic_fn)
    incorrect += solver.satisfiable(instance["clauses"], {}) != instance["satisfiable"]
    decisions += solver.decisions
seconds = time.process_time() - started
print("%d instances, %d wrong: %.2f s, %.3f decisions each" % (len(instances), incorrect, seconds, decisions / len(instances)))
