"""Follows the game with a copy of its rules, and catches the ball so that it breaks most bricks on
its next flights.

The paddle can catch the ball under its old or its new column, which sends it on or back. Both are
played through, some catches deep; of equally good ones chance takes one, so that the ball does not
fly in a circle.
"""

import random

import numpy as np

SIZE = 10
FULL = (1 << SIZE) - 1
DEPTH = 3
boards = []
chance = random.Random(0)


def act(checkpoint, observations, new):
    global boards
    planes = np.frombuffer(observations, np.uint8).reshape(-1, SIZE, SIZE, 4)
    if new:
        with np.load(f"checkpoints/{checkpoint}.npz") as file:
            chance.seed(int(file["seed"]))
        boards = [Board(right) for right in planes[:, 3, SIZE - 1, 1]]
    return [board.act() for board in boards]


class Board:
    def __init__(self, from_right):
        self.ball = (3, SIZE - 1, 1, -1, False) if from_right else (3, 0, 1, 1, False)
        self.bricks = (FULL, FULL, FULL)
        self.paddle = 4
        self.plan()

    def plan(self):
        """Fly to the next catch, and choose the column to catch in."""
        self.steps, ball, bricks, _ = fly(self.ball, self.bricks)
        self.caught = [caught(ball, bricks, back) for back in (False, True)]
        columns = [ball[1], new_column(ball)[0]]
        choices = []
        for (after, left), column in zip(self.caught, columns):
            if abs(column - self.paddle) <= self.steps + 1:
                choices.append(
                    (value(after, left, column, DEPTH), chance.random(), column, after, left)
                )
        _, _, self.target, self.ball, self.bricks = max(choices, key=lambda choice: choice[:2])

    def act(self):
        move = (self.target > self.paddle) - (self.target < self.paddle)
        self.paddle += move
        self.steps -= 1
        if self.steps < 0:
            self.plan()
        return {0: 0, -1: 1, 1: 2}[move]


def value(ball, bricks, paddle, depth):
    """Bricks broken on the next flights, those soon counting a little more."""
    if depth == 0:
        return 0.0
    steps, ball, bricks, broken = fly(ball, bricks)
    best = -1.0
    for back in (False, True):
        column = new_column(ball)[0] if back else ball[1]
        if abs(column - paddle) <= steps + 1:
            after, left = caught(ball, bricks, back)
            best = max(best, value(after, left, column, depth - 1))
    return broken * (1 + 0.1 * depth) - 0.01 * steps + best


def new_column(ball):
    """Where the ball would be after the next step, and its direction."""
    _, column, _, across, _ = ball
    column += across
    if not 0 <= column < SIZE:
        return (column - across, -across)
    return (column, across)


def caught(ball, bricks, back):
    """After the step in which the paddle stands under the ball's new column (`back`), or under its
    old one.
    """
    row, _, _, _, _ = ball
    column, across = new_column(ball)
    if not any(bricks):
        bricks = (FULL, FULL, FULL)
    return (row, column, -1, -across if back and column != ball[1] else across, False), bricks


def fly(ball, bricks):
    """Until the ball would reach the paddle's row in the next step: steps, ball, bricks, and how
    many broke.
    """
    row, column, down, across, struck = ball
    bricks = list(bricks)
    steps = broken = 0
    while not (row == SIZE - 2 and down == 1):
        steps += 1
        old = row
        row += down
        column += across
        if not 0 <= column < SIZE:
            column -= across
            across = -across
        struck_now = False
        if row < 0:
            row, down = 0, 1
        elif 1 <= row <= 3 and bricks[row - 1] >> column & 1:
            struck_now = True
            if not struck:
                bricks[row - 1] ^= 1 << column
                row, down = old, -down
                broken += 1
        struck = struck_now
    return steps, (row, column, down, across, struck), tuple(bricks), broken
