"""Scores the submitted model token by token: no target leaves this process before the model has
answered.
"""

import array
import json
import sys

from bench_tasks.language_model import loss_per_token
from bench_tasks.questions import Player

HEADER = 1024


def evaluate(player: Player) -> dict[str, float]:
    with open("settings.json", encoding="utf-8") as file:
        settings = json.load(file)
    windows = read_windows(player.split + ".bin", settings["window"])
    # All of them side by side: the model is asked once for each place in a window.
    loss = loss_per_token(player, windows, settings["vocabulary"], streams=len(windows), seconds=30)
    return {"val_loss": loss}


def read_windows(path, length):
    tokens = array.array("H")
    with open(path, "rb") as file:
        file.seek(HEADER)
        tokens.frombytes(file.read())
    if sys.byteorder == "big":
        tokens.byteswap()
    if not tokens or len(tokens) % length:
        raise ValueError(f"{path} does not hold whole windows of {length} tokens")
    return [tokens[start : start + length].tolist() for start in range(0, len(tokens), length)]
