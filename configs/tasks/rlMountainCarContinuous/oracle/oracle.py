"""Searches the few parameters of policy.py on the starter's environment, five times."""

import os

import numpy as np
import policy
from environment import HORIZON, MountainCar

FIRST = np.array([0.7, 0.1, 0.5])


def mean_return(weights, cars):
    observations = cars.reset()
    total = 0.0
    for _ in range(HORIZON):
        observations, rewards, ended = cars.step(policy.decide(weights, observations))
        total += rewards.sum()
        if ended.all():
            break
    return total / cars.count


def search(seed):
    rng = np.random.default_rng(seed)
    cars = MountainCar(64, seed)
    best, score = FIRST, mean_return(FIRST, cars)
    for step in range(60):
        tried = best + rng.normal(size=3) * np.array([0.1, 0.1, 0.3]) / (1 + step / 20)
        found = mean_return(tried, cars)
        if found > score:
            best, score = tried, found
    return best, score


os.makedirs("checkpoints", exist_ok=True)
for checkpoint in range(5):
    weights, score = search(checkpoint)
    np.savez(f"checkpoints/{checkpoint}.npz", weights=weights)
    print(f"checkpoint {checkpoint}: mean return {score:.1f}, {weights}")
