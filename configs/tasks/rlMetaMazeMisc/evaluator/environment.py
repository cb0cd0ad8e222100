"""Secret only in that agents cannot change it: the maze that submissions are scored on."""

import struct

SIZE = 9
REWARD = 10.0
MOVES = ((-1, 0), (0, 1), (1, 0), (0, -1))


def is_open(row, column):
    """Pillars stand where both coordinates are odd; around everything is a wall."""
    return 0 <= row < SIZE and 0 <= column < SIZE and not (row % 2 and column % 2)


CELLS = [(row, column) for row in range(SIZE) for column in range(SIZE) if is_open(row, column)]
NUMBER = {cell: index for index, cell in enumerate(CELLS)}
CENTRE = NUMBER[SIZE // 2, SIZE // 2]
# Where a move leads to; against a wall, nowhere.
NEXT = [
    [NUMBER.get((row + down, column + right), here) for down, right in MOVES]
    for here, (row, column) in enumerate(CELLS)
]
# The observation's constant parts, as bytes: the walls around a cell, row by row, and the last
# action.
WALLS = [
    struct.pack(
        "<9f",
        *(not is_open(row + down, column + right) for down in (-1, 0, 1) for right in (-1, 0, 1)),
    )
    for row, column in CELLS
]
LAST = [struct.pack("<4f", *(action == each for each in range(4))) for action in range(4)]
pack = struct.Struct("<ff").pack


class MetaMaze:
    """One episode. The goal lies still and is not seen; who reaches it is put somewhere else."""

    def __init__(self, rng):
        self.random = rng.random
        self.goal = self.any_cell()
        self.place, self.last, self.reward, self.time = CENTRE, 0, 0.0, 0.0

    def any_cell(self):
        return int(self.random() * len(CELLS))

    def observation(self):
        return WALLS[self.place] + LAST[self.last] + pack(self.reward, self.time)

    def step(self, action):
        place = NEXT[self.place][action]
        reward = 0.0
        if place == self.goal:
            reward, place = REWARD, self.any_cell()
        self.place, self.last, self.reward = place, action, reward
        self.time += 1
        # Put onto the goal itself, by chance: that alone ends an episode.
        return reward, place == self.goal
