"""The maze, for training: many episodes at once.

    mazes = MetaMaze(64, seed=1)
    observations = mazes.reset()                             # (64, 15) float32
    observations, rewards, ended = mazes.step(actions)       # actions: (64,) whole numbers, 0 up, 1 right, 2 down, 3 left

An episode that has ended stays as it is and gives no more rewards until reset(). Scores are made by the same dynamics elsewhere:
changing this file changes nothing of them.
"""

import numpy as np

SIZE = 9
REWARD = 10.0
HORIZON = 199
ACTIONS = 4
MOVES = np.array([[-1, 0], [0, 1], [1, 0], [0, -1]])

# Of the 9 x 9 cells and the wall around them, what is open: pillars stand where both coordinates are odd.
OPEN = np.zeros((SIZE + 2, SIZE + 2), dtype=bool)
OPEN[1:-1, 1:-1] = True
OPEN[2:-1:2, 2:-1:2] = False
CELLS = np.argwhere(OPEN)


class MetaMaze:
    observation_size = 15

    def __init__(self, count, seed=0):
        self.count = count
        self.rng = np.random.default_rng(seed)
        self.reset()

    def reset(self):
        self.goal = self.any_cells()
        self.place = np.full((self.count, 2), 1 + SIZE // 2)
        self.last = np.zeros(self.count, dtype=int)
        self.reward = np.zeros(self.count)
        self.time = np.zeros(self.count)
        self.ended = np.zeros(self.count, dtype=bool)
        return self.observations()

    def any_cells(self):
        return CELLS[self.rng.integers(len(CELLS), size=self.count)]

    def observations(self):
        """3 x 3 walls around the place, row by row; the last action, one-hot; the last reward; the number of steps so far."""
        near = np.arange(-1, 2)
        rows, columns = (self.place[:, axis, None] + near for axis in (0, 1))
        walls = ~OPEN[rows[:, :, None], columns[:, None, :]].reshape(self.count, 9)
        return np.concatenate(
            [walls, np.eye(ACTIONS)[self.last], self.reward[:, None], self.time[:, None]], axis=1, dtype="<f4"
        )

    def step(self, actions):
        actions = np.asarray(actions)
        running = ~self.ended
        there = self.place + MOVES[actions]
        place = np.where(OPEN[there[:, 0], there[:, 1]][:, None], there, self.place)
        found = (place == self.goal).all(axis=1)
        place = np.where(found[:, None], self.any_cells(), place)
        rewards = np.where(running, REWARD * found, 0.0)
        self.place = np.where(running[:, None], place, self.place)
        self.last = np.where(running, actions, self.last)
        self.reward = np.where(running, rewards, self.reward)
        self.time = self.time + running
        self.ended = self.ended | (self.place == self.goal).all(axis=1)
        return self.observations(), rewards, self.ended.copy()
