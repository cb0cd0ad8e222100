"""Rows of a trainer's dataset that say which episode to play."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..client import Step

# Columns that are keys of a reset; all others are the trainer's own.
RESET_COLUMNS = (
    "task", "split", "index", "fork_of", "at_step", "seed", "max_steps", "deadline_s",
    "reward", "agent", "group", "policy_version", "labels",
)  # fmt: skip


def reset_keys(row: Mapping[str, Any]) -> dict[str, Any]:
    """Datasets have a value in every column: None stands for a key that is not there."""
    keys = {name: row[name] for name in RESET_COLUMNS if row.get(name) is not None}
    # NumPy's numbers are no JSON.
    return {name: key.item() if hasattr(key, "item") else key for name, key in keys.items()}


def observed(prompt: list[dict[str, str]], observation: str) -> list[dict[str, str]]:
    """A row's prompt and the first observation, which ends its last message if that is the user's."""
    if prompt and prompt[-1]["role"] == "user":
        text = "\n".join(part for part in (prompt[-1]["content"], observation) if part)
        return [*prompt[:-1], {"role": "user", "content": text}]
    return [*prompt, {"role": "user", "content": observation}]


class Earned:
    """What an episode has been paid: None until something was evaluated, and after a fault."""

    def __init__(self) -> None:
        self.total: float | None = None

    def add(self, step: Step) -> None:
        if step.fault is not None:
            self.total = None
        elif step.reward is not None:
            self.total = step.reward + (self.total or 0.0)
