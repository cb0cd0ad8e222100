"""SkyRL's text environment: `register(url)`, then `env_class: bench` in the rows of the dataset.

A row's columns that are keys of a reset (task, seed, …) choose the episode.
"""

from __future__ import annotations

from typing import Any

import skyrl_gym
from skyrl_gym.envs.base_text_env import BaseTextEnv, BaseTextEnvStepOutput

from ..client import BenchClient, Episode, EpisodeFault
from .rows import Earned, observed, reset_keys

Messages = list[dict[str, str]]


class BenchTextEnv(BaseTextEnv):
    """Plays the model's whole replies: the server reads the command out of them, and answers those that have none."""

    def __init__(
        self,
        env_config: Any = None,
        extras: dict[str, Any] | None = None,
        url: str = "http://127.0.0.1:8123",
        token: str | None = None,
    ) -> None:
        super().__init__()
        self._client = BenchClient(url, token)
        self._keys = reset_keys(extras or {})
        self._episode: Episode | None = None
        self._earned = Earned()
        self._format_errors = 0

    def init(self, prompt: Messages) -> tuple[Messages, dict[str, Any]]:
        self._episode = self._client.reset(**self._keys)
        return observed(prompt, self._episode.observation), {"episode_id": self._episode.id}

    def step(self, action: str) -> BaseTextEnvStepOutput:
        """EpisodeFault: it failed by no fault of the policy, and has no reward: SkyRL must not train on a 0."""
        if self._episode is None:
            raise RuntimeError("init comes first")
        step = self._episode.step({"reply": action})
        if step.fault is not None:
            raise EpisodeFault(step.fault)
        self.turns += 1
        self._earned.add(step)
        self._format_errors += step.info["format_error"]
        if step.done:
            self._episode = None
        return BaseTextEnvStepOutput(
            observations=[] if step.done else [{"role": "user", "content": step.observation}],
            reward=step.reward or 0.0,
            done=step.done,
            metadata={**step.info, "evaluated": step.reward is not None},
        )

    def close(self) -> None:
        if self._episode is not None:
            self._episode.close()
            self._episode = None

    def get_metrics(self) -> dict[str, Any]:
        return {
            "turns": self.turns,
            "format_errors": self._format_errors,
            "evaluated": self._earned.total is not None,
        }


def register(url: str, token: str | None = None, name: str = "bench") -> None:
    """Makes `name` an `env_class`. Call it where SkyRL makes its environments: in each worker."""
    skyrl_gym.register(
        id=name,
        entry_point="bench_rl.adapters.skyrl:BenchTextEnv",
        kwargs={"url": url, "token": token},
    )
