"""The car in the valley, for training: many episodes at once.

    cars = MountainCar(64, seed=1)
    observations = cars.reset()                              # (64, 2) float32: position, velocity
    observations, rewards, ended = cars.step(actions)        # actions: (64,) numbers

An episode that has ended stays as it is and gives no more rewards until reset(). Scores are made by the same dynamics elsewhere:
changing this file changes nothing of them.
"""

import numpy as np

LEFT, RIGHT, FASTEST = -1.2, 0.6, 0.07
GOAL = 0.45
POWER, GRAVITY = 0.0015, 0.0025
LARGEST_ACTION = 10.0
HORIZON = 200


class MountainCar:
    observation_size = 2

    def __init__(self, count, seed=0):
        self.count = count
        self.rng = np.random.default_rng(seed)
        self.reset()

    def reset(self):
        self.position = self.rng.uniform(-0.6, -0.4, self.count)
        self.velocity = np.zeros(self.count)
        self.ended = np.zeros(self.count, dtype=bool)
        return self.observations()

    def observations(self):
        return np.stack([self.position, self.velocity], axis=1).astype("<f4")

    def step(self, actions):
        actions = np.clip(np.asarray(actions, dtype=float), -LARGEST_ACTION, LARGEST_ACTION)
        velocity = self.velocity + POWER * np.clip(actions, -1, 1) - GRAVITY * np.cos(3 * self.position)
        velocity = np.clip(velocity, -FASTEST, FASTEST)
        position = np.clip(self.position + velocity, LEFT, RIGHT)
        velocity = np.where((position >= GOAL) & (velocity < 0), 0.0, velocity)
        reached = (position >= GOAL) & (velocity >= 0)
        running = ~self.ended
        rewards = np.where(running, 100.0 * reached - 0.1 * actions**2, 0.0)
        self.position = np.where(running, position, self.position)
        self.velocity = np.where(running, velocity, self.velocity)
        self.ended = self.ended | reached
        return self.observations(), rewards, self.ended.copy()
