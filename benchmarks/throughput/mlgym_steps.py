"""Plays trivial steps in MLGym's own environment, one after the other, with actions that are known beforehand.

`mlgym_steps.py <checkout> <image> <steps>`, run by mlgym.ts in a Python that has what MLGym's environment imports. Prints JSON:
seconds of the steps, and the count that the last one read.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any


def main() -> None:
    checkout, image, steps = sys.argv[1], sys.argv[2], int(sys.argv[3])
    # Its tasks name their files relative to the checkout.
    os.chdir(checkout)
    sys.path.insert(0, checkout)
    from mlgym.environment.env import EnvironmentArguments, MLGymEnv

    arguments: Any = EnvironmentArguments(
        image_name=image,
        max_steps=steps + 1,
        task_config_path="tasks/battleOfSexes.yaml",
        container_type="docker",
        cache_baseline_scores=False,
    )
    environment: Any = MLGymEnv(arguments, devices=["cpu_0"])
    try:
        environment.reset()
        observation = ""
        began = time.monotonic()
        for step in range(1, steps + 1):
            # What `scripted:counter` does in bench.
            observation, *_ = environment.step(f"echo {step} >> counter.txt; wc -l < counter.txt")
        seconds = time.monotonic() - began
    finally:
        environment.close()
    print(json.dumps({"counted": int(observation), "seconds": seconds}))


if __name__ == "__main__":
    main()
