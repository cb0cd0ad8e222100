"""Breakout on a board of 10 x 10, for training: many episodes at once.

    boards = Breakout(64, seed=1)
    observations = boards.reset()                            # (64, 10, 10, 4) uint8: rows, columns, planes
    observations, rewards, ended = boards.step(actions)      # actions: (64,) whole numbers, 0 stay, 1 left, 2 right

An episode that has ended stays as it is and gives no more rewards until reset(). Scores are made by the same dynamics elsewhere:
changing this file changes nothing of them.
"""

import numpy as np

SIZE = 10
HORIZON = 999
ACTIONS = 3
PADDLE, BALL, TRAIL, BRICK = range(4)
BRICK_ROWS = slice(1, 4)


class Breakout:
    observation_shape = (SIZE, SIZE, 4)

    def __init__(self, count, seed=0):
        self.count = count
        self.rng = np.random.default_rng(seed)
        self.each = np.arange(count)
        self.reset()

    def reset(self):
        from_right = self.rng.random(self.count) < 0.5
        self.column = np.where(from_right, SIZE - 1, 0)
        self.across = np.where(from_right, -1, 1)
        self.row = np.full(self.count, 3)
        self.down = np.ones(self.count, dtype=int)
        self.old_row, self.old_column = self.row.copy(), self.column.copy()
        self.paddle = np.full(self.count, 4)
        self.bricks = np.zeros((self.count, SIZE, SIZE), dtype=bool)
        self.bricks[:, BRICK_ROWS] = True
        self.struck = np.zeros(self.count, dtype=bool)
        self.ended = np.zeros(self.count, dtype=bool)
        return self.observations()

    def observations(self):
        planes = np.zeros((self.count, *self.observation_shape), dtype=np.uint8)
        planes[self.each, SIZE - 1, self.paddle, PADDLE] = 1
        planes[self.each, self.row, self.column, BALL] = 1
        planes[self.each, self.old_row, self.old_column, TRAIL] = 1
        planes[..., BRICK] = self.bricks
        return planes

    def step(self, actions):
        running = ~self.ended
        actions = np.asarray(actions)
        paddle = np.clip(self.paddle + (actions == 2) - (actions == 1), 0, SIZE - 1)
        row, column = self.row + self.down, self.column + self.across
        down, across = self.down, self.across
        # Side walls, then the upper wall.
        aside = (column < 0) | (column >= SIZE)
        column = np.clip(column, 0, SIZE - 1)
        across = np.where(aside, -across, across)
        above = row < 0
        row = np.clip(row, 0, SIZE - 1)
        down = np.where(above, 1, down)
        # Bricks: a ball that has just broken one passes the next.
        struck = self.bricks[self.each, row, column] & ~above
        broken = struck & ~self.struck & running
        self.bricks[self.each[broken], row[broken], column[broken]] = False
        # The lowest row: the paddle under the ball's old column or under its new one.
        low = (row == SIZE - 1) & ~struck
        empty = low & running & ~self.bricks.any(axis=(1, 2))
        self.bricks[empty, BRICK_ROWS] = True
        straight = low & (self.column == paddle)
        back = low & ~straight & (column == paddle)
        row = np.where(broken | straight | back, self.row, row)
        down = np.where(broken | straight | back, -down, down)
        across = np.where(back, -across, across)
        ended = low & ~straight & ~back
        for name, value in (
            ("old_row", self.row),
            ("old_column", self.column),
            ("paddle", paddle),
            ("row", row),
            ("column", column),
            ("down", down),
            ("across", across),
            ("struck", struck),
        ):
            setattr(self, name, np.where(running, value, getattr(self, name)))
        self.ended = self.ended | (ended & running)
        return self.observations(), broken.astype(float), self.ended.copy()
