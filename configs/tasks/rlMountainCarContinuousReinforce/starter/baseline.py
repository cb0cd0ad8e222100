"""Trains five policies by REINFORCE, each from a seed of its own, and writes checkpoints/0.npz to 4.npz."""

import os

import numpy as np
import policy
from environment import HORIZON, MountainCar

ITERATIONS = 40
EPISODES = 64
RATE = 0.4
DISCOUNT = 0.99


def play(weights, cars, rng):
    """What was seen, done and earned: arrays of (steps, episodes, ...)."""
    seen, done, earned, alive = [], [], [], []
    observations, ended = cars.reset(), np.zeros(cars.count, dtype=bool)
    for _ in range(HORIZON):
        mean, deviation = policy.distribution(weights, observations)
        actions = mean + deviation * rng.normal(size=cars.count)
        seen.append(policy.features(observations))
        done.append(actions)
        alive.append(~ended)
        observations, rewards, ended = cars.step(actions)
        earned.append(rewards)
    return np.array(seen), np.array(done), np.array(earned), np.array(alive)


def gradient(weights, seen, done, earned, alive):
    """Of the mean return: each action's log-probability, times what was earned after it beyond the mean of all episodes."""
    after = np.zeros_like(earned)
    total = 0.0
    for step in reversed(range(HORIZON)):
        total = earned[step] + DISCOUNT * total
        after[step] = total
    gain = (after - after.mean(axis=1, keepdims=True)) / (after.std() + 1e-6) * alive
    deviation = np.exp(weights[-1])
    off = (done - seen @ weights[:-1]) / deviation
    of_mean = (gain * off / deviation)[..., None] * seen
    of_deviation = gain * (off**2 - 1)
    return np.append(of_mean.sum(axis=(0, 1)), of_deviation.sum()) / alive.sum()


def train(seed):
    rng = np.random.default_rng(seed)
    cars = MountainCar(EPISODES, seed)
    weights = np.append(0.1 * rng.normal(size=3), 0.0)
    for _ in range(ITERATIONS):
        episodes = play(weights, cars, rng)
        weights = weights + RATE * gradient(weights, *episodes)
    return weights, episodes[2].sum(axis=0).mean()


os.makedirs("checkpoints", exist_ok=True)
for checkpoint in range(5):
    weights, score = train(checkpoint)
    np.savez("checkpoints/%d.npz" % checkpoint, weights=weights)
    print("checkpoint %d: mean return %.1f in training" % (checkpoint, score))
