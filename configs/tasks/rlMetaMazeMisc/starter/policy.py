"""The policy that is scored. `act` is called with the observations of many episodes at once."""

import numpy as np

loaded = {}
chance = np.random.default_rng(0)


def act(checkpoint, observations, new):
    """An action for each episode. `checkpoint`: 0 to 4; `observations`: bytes; `new`: all episodes begin with these."""
    chances = probabilities(parameters(checkpoint), np.frombuffer(observations, "<f4").reshape(-1, 15))
    return sample(chances, chance)


def parameters(checkpoint):
    if checkpoint not in loaded:
        with np.load("checkpoints/%d.npz" % checkpoint) as file:
            loaded[checkpoint] = file["weights"]
    return loaded[checkpoint]


def probabilities(weights, observations):
    """Of each action: the softmax of a linear function of what is seen now. It remembers nothing."""
    scores = features(observations) @ weights
    scores = np.exp(scores - scores.max(axis=1, keepdims=True))
    return scores / scores.sum(axis=1, keepdims=True)


def features(observations):
    """Walls, last action, whether the last step was rewarded, and 1."""
    rewarded = observations[:, 13:14] > 0
    return np.concatenate([observations[:, :13], rewarded, np.ones_like(rewarded)], axis=1)


def sample(chances, rng):
    return (chances.cumsum(axis=1) < rng.random((len(chances), 1))).sum(axis=1).clip(0, chances.shape[1] - 1)
