"""Scores five checkpoints in the referee's own environment; the submission's process only chooses
actions.
"""

import json

from bench_tasks.questions import Player
from bench_tasks.rollouts import deviation, mean, play_checkpoints, real_numbers
from environment import MountainCar

CHECKPOINTS = 5
HORIZON = 200


def evaluate(player: Player) -> dict[str, float]:
    with open("settings.json", encoding="utf-8") as file:
        settings = json.load(file)
    returns = play_checkpoints(
        player,
        MountainCar,
        real_numbers,
        checkpoints=CHECKPOINTS,
        episodes=settings["seeds"] * settings["environments"],
        horizon=HORIZON,
    )
    return {"Reward Mean": mean(returns), "Reward Std": deviation(returns)}
