"""The policy that is scored. `act` is called with the observations of many episodes at once."""

import numpy as np

loaded = {}
chance = np.random.default_rng(0)


def act(checkpoint, observations, new):
    """An action for each episode. `checkpoint`: 0 to 4; `observations`: bytes; `new`: all episodes begin with these."""
    mean, deviation = distribution(parameters(checkpoint), np.frombuffer(observations, "<f4").reshape(-1, 2))
    return mean + deviation * chance.normal(size=len(mean))


def parameters(checkpoint):
    if checkpoint not in loaded:
        with np.load("checkpoints/%d.npz" % checkpoint) as file:
            loaded[checkpoint] = file["weights"]
    return loaded[checkpoint]


def distribution(weights, observations):
    """Mean and standard deviation of the action, which is normally distributed."""
    return features(observations) @ weights[:-1], np.exp(weights[-1])


def features(observations):
    return np.stack([np.ones(len(observations)), observations[:, 0] + 0.5, 20 * observations[:, 1]], axis=1)
