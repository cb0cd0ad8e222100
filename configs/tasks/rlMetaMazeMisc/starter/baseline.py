"""Trains five policies by REINFORCE, each from a seed of its own, and writes checkpoints/0.npz to 4.npz."""

import os

import numpy as np
import policy
from environment import ACTIONS, HORIZON, MetaMaze

ITERATIONS = 20
EPISODES = 256
RATE = 15.0
DISCOUNT = 0.95


def play(weights, mazes, rng):
    """What was seen and done, with which chance, and earned: arrays of (steps, episodes, ...)."""
    seen, chances, done, earned = [], [], [], []
    observations = mazes.reset()
    for _ in range(HORIZON):
        seen.append(policy.features(observations))
        chances.append(policy.probabilities(weights, observations))
        done.append(policy.sample(chances[-1], rng))
        observations, rewards, _ = mazes.step(done[-1])
        earned.append(rewards)
    return np.array(seen), np.array(chances), np.array(done), np.array(earned)


def gradient(seen, chances, done, earned):
    """Of the mean return: each action's log-probability, times what was earned after it beyond the mean of all episodes."""
    after = np.zeros_like(earned)
    total = 0.0
    for step in reversed(range(HORIZON)):
        total = earned[step] + DISCOUNT * total
        after[step] = total
    gain = (after - after.mean(axis=1, keepdims=True)) / (after.std() + 1e-6)
    of_scores = gain[..., None] * (np.eye(ACTIONS)[done] - chances)
    return np.einsum("sef,sea->fa", seen, of_scores) / done.size


def train(seed):
    rng = np.random.default_rng(seed)
    mazes = MetaMaze(EPISODES, seed)
    weights = 0.1 * rng.normal(size=(15, ACTIONS))
    returns = []
    for _ in range(ITERATIONS):
        episodes = play(weights, mazes, rng)
        weights = weights + RATE * gradient(*episodes)
        returns.append(episodes[3].sum(axis=0).mean())
    return weights, np.mean(returns[-5:])


os.makedirs("checkpoints", exist_ok=True)
for checkpoint in range(5):
    weights, score = train(checkpoint)
    np.savez("checkpoints/%d.npz" % checkpoint, weights=weights)
    print("checkpoint %d: mean return %.1f in training" % (checkpoint, score))
