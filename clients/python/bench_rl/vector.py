"""Many episodes, one action each at a time."""

from __future__ import annotations

from typing import Any

from .client import BenchClient, Episode, Step


class VectorEnv:
    """Episodes that are stepped together. One that is done is left out until the next reset: its step is its last one."""

    def __init__(self, client: BenchClient) -> None:
        self._client = client
        self.episodes: list[Episode] = []
        self._last: list[Step | None] = []

    def reset(self, resets: list[dict[str, Any]]) -> list[str]:
        """Begin an episode for each; their first observations."""
        self.episodes = [self._client.reset(**keys) for keys in resets]
        self._last = [None] * len(resets)
        return [episode.observation for episode in self.episodes]

    def step(
        self, actions: list[str | dict[str, Any] | None], policy_version: int | None = None
    ) -> list[Step | None]:
        """An action for each, None for one that waits. The steps in order; None: it has had none."""
        if len(actions) != len(self.episodes):
            raise ValueError(f"{len(actions)} actions for {len(self.episodes)} episodes")
        acting: list[tuple[int, str | dict[str, Any]]] = []
        for at, action in enumerate(actions):
            last = self._last[at]
            if action is not None and (last is None or not last.done):
                acting.append((at, action))
        steps = self._client.steps(
            [(self.episodes[at], action) for at, action in acting], policy_version
        )
        for (at, _), step in zip(acting, steps, strict=True):
            self._last[at] = step
        return list(self._last)
