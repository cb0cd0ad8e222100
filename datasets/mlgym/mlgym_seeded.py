"""Runs `python <script> <arguments>` with the modules' randomness seeded.

`python mlgym_seeded.py <seed> <modules> <script> <arguments>`
"""

import os
import random
import runpy
import sys

seed, modules, script = int(sys.argv[1]), sys.argv[2].split(","), os.path.abspath(sys.argv[3])
random.seed(seed)
if "numpy" in modules:
    import numpy

    numpy.random.seed(seed)
if "torch" in modules:
    import torch

    torch.manual_seed(seed)
sys.argv = [script, *sys.argv[4:]]
sys.path[0] = os.path.dirname(script)
runpy.run_path(script, run_name="__main__")
