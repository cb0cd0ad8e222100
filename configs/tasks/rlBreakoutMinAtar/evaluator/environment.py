"""Secret only in that agents cannot change it: the board that submissions are scored on."""

SIZE = 10
BRICK_ROWS = (1, 2, 3)
FULL = (1 << SIZE) - 1
# One cell is four bytes: paddle, ball, trail, brick.
PADDLE, BALL, TRAIL, BRICK = range(4)
EMPTY_ROW = bytes(4 * SIZE)
# Each row of bricks, as the bits of a number, and each place of the paddle in its row.
ROWS = [
    bytes(b for column in range(SIZE) for b in (0, 0, 0, bits >> column & 1))
    for bits in range(FULL + 1)
]
PADDLES = [
    bytes(b for column in range(SIZE) for b in (int(column == paddle), 0, 0, 0))
    for paddle in range(SIZE)
]
BELOW = EMPTY_ROW * (SIZE - 2 - len(BRICK_ROWS))
STAY, LEFT, RIGHT = range(3)


class Breakout:
    """One episode.

    The ball moves one cell diagonally in each step: `across` and `down` are 1 or -1.
    """

    def __init__(self, rng):
        self.column, self.across = (0, 1) if rng.random() < 0.5 else (SIZE - 1, -1)
        self.row, self.down = 3, 1
        self.trail = (self.row, self.column)
        self.paddle = 4
        self.bricks = [FULL] * len(BRICK_ROWS)
        self.struck = False

    def observation(self):
        one, two, three = self.bricks
        board = bytearray(
            EMPTY_ROW + ROWS[one] + ROWS[two] + ROWS[three] + BELOW + PADDLES[self.paddle]
        )
        board[4 * (SIZE * self.row + self.column) + BALL] = 1
        row, column = self.trail
        board[4 * (SIZE * row + column) + TRAIL] = 1
        return bytes(board)

    def step(self, action):
        if action == LEFT:
            self.paddle = max(0, self.paddle - 1)
        elif action == RIGHT:
            self.paddle = min(SIZE - 1, self.paddle + 1)
        old_row, old_column = self.trail = (self.row, self.column)
        row, column = old_row + self.down, old_column + self.across
        reward, ended, struck = 0.0, False, False
        if not 0 <= column < SIZE:
            column, self.across = old_column, -self.across
        if row < 0:
            row, self.down = 0, 1
        elif 1 <= row <= 3 and self.bricks[row - 1] >> column & 1:
            # A ball that has just broken a brick passes the next one.
            struck = True
            if not self.struck:
                reward = 1.0
                self.bricks[row - 1] ^= 1 << column
                row, self.down = old_row, -self.down
        elif row == SIZE - 1:
            if not any(self.bricks):
                self.bricks = [FULL] * len(BRICK_ROWS)
            if old_column == self.paddle:
                row, self.down = old_row, -self.down
            elif column == self.paddle:
                row, self.down, self.across = old_row, -self.down, -self.across
            else:
                ended = True
        self.struck, self.row, self.column = struck, row, column
        return reward, ended
