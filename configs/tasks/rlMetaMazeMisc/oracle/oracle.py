"""Looks for five short tours of the maze, which the policy walks until it finds the goal."""

import os

import numpy as np
from policy import CELLS, CENTRE, DISTANCE, NEXT

TRIES = 40


def tour(rng):
    """To the nearest cell that was not visited yet, any of them where several are: actions, and
    when cells are visited on average.
    """
    here, left, actions, when = CENTRE, set(range(len(CELLS))) - {CENTRE}, [], []
    while left:
        nearest = min(DISTANCE[here, cell] for cell in left)
        target = int(rng.choice([cell for cell in sorted(left) if DISTANCE[here, cell] == nearest]))
        while here != target:
            closer = np.nonzero(DISTANCE[target, NEXT[here]] < DISTANCE[target, here])[0]
            actions.append(int(rng.choice(closer)))
            here = int(NEXT[here, actions[-1]])
        left.discard(target)
        when.append(len(actions))
    return actions, np.mean(when)


os.makedirs("checkpoints", exist_ok=True)
for checkpoint in range(5):
    rng = np.random.default_rng(checkpoint)
    actions, when = min((tour(rng) for _ in range(TRIES)), key=lambda found: found[1])
    np.savez(f"checkpoints/{checkpoint}.npz", tour=np.array(actions))
    print(f"checkpoint {checkpoint}: the goal is found after {when:.1f} steps on average")
