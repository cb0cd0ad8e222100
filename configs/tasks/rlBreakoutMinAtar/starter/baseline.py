"""Trains five policies by REINFORCE, each from a seed of its own, and writes checkpoints/0.npz to 4.npz."""

import os

import numpy as np
import policy
from environment import ACTIONS, Breakout

ITERATIONS = 40
EPISODES = 64
STEPS = 40
RATE = 5.0
DISCOUNT = 0.9


def play(weights, boards, rng):
    """What was seen and done, with which chance, and earned, while it went on: arrays of (steps, episodes, ...)."""
    seen, chances, done, earned, alive = [], [], [], [], []
    observations, ended = boards.reset(), np.zeros(boards.count, dtype=bool)
    for _ in range(STEPS):
        seen.append(policy.features(observations))
        chances.append(policy.probabilities(weights, seen[-1]))
        done.append(policy.sample(chances[-1], rng))
        alive.append(~ended)
        observations, rewards, ended = boards.step(done[-1])
        # A lost ball costs as much as a brick pays: bricks alone say too little of where the paddle should have been.
        earned.append(rewards - (ended & alive[-1]))
        if ended.all():
            break
    return [np.array(each) for each in (seen, chances, done, earned, alive)]


def gradient(seen, chances, done, earned, alive):
    """Of the mean return: each action's log-probability, times what was earned after it beyond the mean of all episodes."""
    after = np.zeros_like(earned)
    total = 0.0
    for step in reversed(range(len(earned))):
        total = earned[step] + DISCOUNT * total
        after[step] = total
    gain = (after - after[alive].mean()) / (after[alive].std() + 1e-6) * alive
    of_scores = gain[..., None] * (np.eye(ACTIONS)[done] - chances)
    return np.einsum("sef,sea->fa", seen, of_scores) / alive.sum()


def train(seed):
    rng = np.random.default_rng(seed)
    boards = Breakout(EPISODES, seed)
    weights = np.zeros((policy.features(boards.reset()).shape[1], ACTIONS))
    scores = []
    for _ in range(ITERATIONS):
        episodes = play(weights, boards, rng)
        weights = weights + RATE * gradient(*episodes)
        scores.append((episodes[3] > 0).sum() / EPISODES)
    return weights, np.mean(scores[-5:])


os.makedirs("checkpoints", exist_ok=True)
for checkpoint in range(5):
    weights, score = train(checkpoint)
    np.savez("checkpoints/%d.npz" % checkpoint, weights=weights)
    print("checkpoint %d: %.2f bricks in the first %d steps" % (checkpoint, score, STEPS))
