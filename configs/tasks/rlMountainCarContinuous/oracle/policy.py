"""Swings up with as little force as still arrives in time: the penalty grows with the square of the
force.
"""

import numpy as np

loaded = {}


def act(checkpoint, observations, new):
    if checkpoint not in loaded:
        with np.load(f"checkpoints/{checkpoint}.npz") as file:
            loaded[checkpoint] = file["weights"]
    return decide(loaded[checkpoint], np.frombuffer(observations, "<f4").reshape(-1, 2))


def decide(weights, observations):
    """Along the velocity: weights are the force at full speed, the power of the speed, and the push
    that begins.
    """
    force, power, push = weights
    speed = observations[:, 1] / 0.07
    size = force * np.maximum(np.abs(speed), 1e-9) ** power
    return np.clip(np.where(speed == 0, push, np.sign(speed) * size), -1, 1)
