"""TRL's `environment_factory`: `GRPOTrainer(environment_factory=bench_environment(url), train_dataset=…)`.

Columns of the dataset that are keys of a reset (task, seed, …) choose the episode. TRL plays a batch's tool calls one after
the other: give `deadline_s`. To connect without this file use `OpenRewardSpec`, which docs/guides/training.md shows.
"""

from __future__ import annotations

from typing import Any, ClassVar

from ..client import BenchClient, Episode
from .rows import Earned, reset_keys


class BenchEnvironment:
    """Its public methods are the model's tools; the model sees what one raises."""

    _client: ClassVar[BenchClient]
    _keys: ClassVar[dict[str, Any]]

    def __init__(self) -> None:
        self._episode: Episode | None = None
        self._earned = Earned()

    def reset(self, **row: Any) -> str:
        self._give_up()
        self._earned = Earned()
        self._episode = self._client.reset(**{**self._keys, **reset_keys(row)})
        return self._episode.observation

    def run(self, command: str) -> str:
        """
        Runs a command in the shell of the task's container.

        Args:
            command: The command, as bash reads it.

        Returns:
            What it printed.
        """
        return self._act(command)

    def validate(self) -> str:
        """
        Scores the submission that is in the workspace now.

        Returns:
            The score.
        """
        return self._act("validate")

    def submit(self) -> str:
        """
        Hands the submission in, which ends the task.

        Returns:
            What it returns at the end.
        """
        return self._act("submit")

    def get_reward(self) -> float | None:
        """The sum of what its actions were paid. None, which TRL leaves out: nothing was evaluated, or a fault of bench's."""
        # A model that calls no tool after its deadline is paid all the same.
        ending = None if self._episode is None else self._episode.ending()
        if ending is not None:
            self._earned.add(ending)
        self._give_up()
        return self._earned.total

    def _act(self, command: str) -> str:
        if self._episode is None:
            raise ValueError("The task has ended.")
        step = self._episode.step(command)
        self._earned.add(step)
        if step.done:
            self._episode = None
        return step.observation

    def _give_up(self) -> None:
        if self._episode is not None:
            self._episode.close()
            self._episode = None


def bench_environment(url: str, token: str | None = None, **keys: Any) -> type[BenchEnvironment]:
    """A class for `environment_factory`. `keys`: of every reset, unless its row has them."""

    class Environment(BenchEnvironment):
        _client = BenchClient(url, token)
        _keys = keys

    return Environment
