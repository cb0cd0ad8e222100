"""The policy that is scored. `act` is called with the observations of many episodes at once."""

import numpy as np

loaded = {}


def act(checkpoint, observations, new):
    """An action for each episode. `checkpoint`: 0 to 4; `observations`: bytes; `new`: all episodes begin with these."""
    weights = parameters(checkpoint)
    return decide(weights, np.frombuffer(observations, "<f4").reshape(-1, 2))


def parameters(checkpoint):
    if checkpoint not in loaded:
        with np.load("checkpoints/%d.npz" % checkpoint) as file:
            loaded[checkpoint] = file["weights"]
    return loaded[checkpoint]


def decide(weights, observations):
    """How hard to push: a function of position and velocity, from -1 to 1."""
    return np.tanh(features(observations) @ weights)


def features(observations):
    return np.stack([np.ones(len(observations)), observations[:, 0] + 0.5, 20 * observations[:, 1]], axis=1)
