"""Trains five policies by hill climbing, each from a seed of its own, and writes checkpoints/0.npz to 4.npz."""

import os

import numpy as np
import policy
from environment import HORIZON, MountainCar

STEPS = 12
EPISODES = 16
SIZE = 1.0


def mean_return(weights, cars):
    observations = cars.reset()
    total = 0.0
    for _ in range(HORIZON):
        observations, rewards, ended = cars.step(policy.decide(weights, observations))
        total += rewards.sum()
        if ended.all():
            break
    return total / cars.count


def train(seed):
    rng = np.random.default_rng(seed)
    cars = MountainCar(EPISODES, seed)
    best = np.zeros(3)
    score = mean_return(best, cars)
    for _ in range(STEPS):
        tried = best + SIZE * rng.normal(size=best.shape)
        found = mean_return(tried, cars)
        if found > score:
            best, score = tried, found
    return best, score


os.makedirs("checkpoints", exist_ok=True)
for checkpoint in range(5):
    weights, score = train(checkpoint)
    np.savez("checkpoints/%d.npz" % checkpoint, weights=weights)
    print("checkpoint %d: mean return %.1f in training" % (checkpoint, score))
