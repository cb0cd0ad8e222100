"""Scores five checkpoints in the referee's own environment; the submission's process only chooses
actions.
"""

import json

from bench_tasks.questions import Player
from bench_tasks.rollouts import deviation, mean, play_checkpoints, whole_numbers
from environment import MetaMaze

CHECKPOINTS = 5
HORIZON = 199
ACTIONS = 4


def evaluate(player: Player) -> dict[str, float]:
    with open("settings.json", encoding="utf-8") as file:
        settings = json.load(file)
    returns = play_checkpoints(
        player,
        MetaMaze,
        whole_numbers(ACTIONS),
        checkpoints=CHECKPOINTS,
        episodes=settings["seeds"] * settings["environments"],
        horizon=HORIZON,
    )
    return {"Reward Mean": mean(returns), "Reward Std": deviation(returns)}
