"""Runs the task's evaluator of MLGym on files that no agent has touched, with the submitted ones
among them.
"""

import json
import os
import random
import sys

import mlgym_run

inputs, outputs = sys.argv[1:]
with open(
    os.path.join(os.path.dirname(os.path.abspath(__file__)), "mlgym.json"), encoding="utf-8"
) as file:
    order = json.load(file)
workspace = os.path.join(outputs, "workspace")
# A module of the agent's with the name of an opponent is not taken for it.
mlgym_run.stage(workspace, [inputs, os.getcwd()], order["submitted"])
mlgym_run.run(workspace, order, random.getrandbits(31), outputs)
