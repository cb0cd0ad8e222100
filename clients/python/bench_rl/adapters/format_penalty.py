"""What replies without a command cost, beside what the trainer is paid for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def with_format_penalty(
    reward: Mapping[str, Any] | None, reward_wrong_format: float
) -> dict[str, Any]:
    """The reward of a reset, with this paid for each such reply. ValueError: it would pay for them, or no reward is named."""
    if reward_wrong_format > 0:
        raise ValueError(f"reward_wrong_format: {reward_wrong_format} would pay for mistakes")
    if reward is None:
        # A reset that states any key of a reward has its own, not the server's.
        raise ValueError(
            "reward_wrong_format needs reward, which it would change otherwise: "
            'add reward={"mode": ...} or {"preset": ...}, such as the server\'s own --reward'
        )
    return {**reward, "format_penalty": -reward_wrong_format}
