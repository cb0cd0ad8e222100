"""Many episodes, one action each at a time."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from .client import BenchClient, BenchError, Episode, Step


class VectorEnv:
    """Episodes that are stepped together. One that is done is left out until the next reset: its step is its last one."""

    def __init__(self, client: BenchClient) -> None:
        self._client = client
        self.episodes: list[Episode] = []

    def reset(self, resets: list[dict[str, Any]]) -> list[str]:
        """Give up what is open, and begin an episode for each; their first observations. When one is refused, none stays."""
        self.close()
        try:
            for keys in resets:
                self.episodes.append(self._client.reset(**keys))
        except OSError:
            # The server does not answer: what has begun is given up by the next reset or close.
            raise
        except BaseException:
            self.close()
            raise
        return [episode.observation for episode in self.episodes]

    def step(
        self, actions: list[str | dict[str, Any] | None], policy_version: int | None = None
    ) -> list[Step | None]:
        """An action for each, None for one that waits. The steps in order; None: it has had none."""
        if len(actions) != len(self.episodes):
            raise ValueError(f"{len(actions)} actions for {len(self.episodes)} episodes")
        acting = [
            (episode, action)
            for episode, action in zip(self.episodes, actions, strict=True)
            if action is not None and not episode.done
        ]
        self._client.steps(acting, policy_version)
        return [episode.last for episode in self.episodes]

    def close(self) -> None:
        """Give up what is open."""
        while self.episodes:
            if not self.episodes[-1].done:
                # Refused: it is not there any more.
                with suppress(BenchError):
                    self.episodes[-1].close()
            self.episodes.pop()
