"""Secret only in that agents cannot change it: the car in the valley that submissions are scored
on.
"""

import math
import struct

LEFT, RIGHT, FASTEST = -1.2, 0.6, 0.07
GOAL = 0.45
POWER, GRAVITY = 0.0015, 0.0025
# The penalty takes the action as it was given, but no larger than this: an episode costs 2,000 at
# most.
LARGEST_ACTION = 10.0

pack = struct.Struct("<ff").pack
cos = math.cos


class MountainCar:
    """One episode. The state is the position and the velocity."""

    def __init__(self, rng):
        self.position = rng.uniform(-0.6, -0.4)
        self.velocity = 0.0

    def observation(self):
        return pack(self.position, self.velocity)

    def step(self, action):
        action = min(max(action, -LARGEST_ACTION), LARGEST_ACTION)
        force = min(max(action, -1.0), 1.0)
        velocity = self.velocity + POWER * force - GRAVITY * cos(3 * self.position)
        velocity = min(max(velocity, -FASTEST), FASTEST)
        position = min(max(self.position + velocity, LEFT), RIGHT)
        # Only rolling back at the goal is stopped; at the left wall the car keeps its velocity.
        if position >= GOAL and velocity < 0:
            velocity = 0.0
        self.position, self.velocity = position, velocity
        reached = position >= GOAL and velocity >= 0
        return 100.0 * reached - 0.1 * action * action, reached
