"""Gymnasium's interface: `gymnasium.make("bench/battleOfSexes", url=...)` after `bench_rl.gym.register(...)`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import gymnasium

from .client import BenchClient, Episode, EpisodeFault


class Text(gymnasium.Space[str]):
    """Any text: `gymnasium.spaces.Text` has a charset, which refuses spaces unless it lists them."""

    def __init__(self) -> None:
        super().__init__(None, None)

    def contains(self, x: Any) -> bool:
        return isinstance(x, str)

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        return "ls"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Text)

    def __hash__(self) -> int:
        return hash(Text)

    @property
    def is_np_flattenable(self) -> bool:
        return False


class BenchEnv(gymnasium.Env[str, str]):
    """One episode at a time. `reset(options=...)` takes the keys of a reset; a step without an evaluation pays 0."""

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012
    observation_space = Text()
    action_space = Text()

    def __init__(
        self, url: str, task: str | None = None, token: str | None = None, **keys: Any
    ) -> None:
        self._client = BenchClient(url, token)
        self._keys = keys if task is None else {"task": task, **keys}
        self._episode: Episode | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        super().reset(seed=seed)
        self.close()
        keys = {**self._keys, **({} if seed is None else {"seed": seed}), **(options or {})}
        # A fork has its origin's. All others follow from the last seed that was given, as an environment's episodes do.
        if "seed" not in keys and "fork_of" not in keys:
            keys["seed"] = int(self.np_random.integers(2**31))
        self._episode = self._client.reset(**keys)
        return self._episode.observation, self._episode.info

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """EpisodeFault: it failed by no fault of the policy, and has no reward."""
        if self._episode is None:
            raise RuntimeError("reset comes first")
        step = self._episode.step(action)
        if step.fault is not None:
            raise EpisodeFault(step.fault)
        if step.done:
            self._episode = None
        info = {**step.info, "evaluated": step.reward is not None}
        return step.observation, step.reward or 0.0, step.terminated, step.truncated, info

    def close(self) -> None:
        """Give up what is open."""
        if self._episode is not None:
            self._episode.close()
            self._episode = None


def register(url: str, tasks: Iterable[str]) -> None:
    """Makes `bench/<task>` known to `gymnasium.make`."""
    for task in tasks:
        gymnasium.register(
            f"bench/{task}",
            entry_point="bench_rl.gym:BenchEnv",
            kwargs={"url": url, "task": task},
            order_enforce=False,
        )
