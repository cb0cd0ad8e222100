"""Episodes of a submitted policy: what the referee.py of a reinforcement learning task uses.

    def evaluate(player: Player) -> dict[str, float]:
        returns = play_checkpoints(
            player, Environment, whole_numbers(3), checkpoints=5, episodes=1280, horizon=999
        )
        return {"Reward Mean": mean(returns), "Reward Std": deviation(returns)}

An environment is one episode. The submission's function is called as
function(checkpoint, observations, new) and answers with one action for each episode.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from .questions import Player

Action = TypeVar("Action")
ActionIn = TypeVar("ActionIn", contravariant=True)
ActionOut = TypeVar("ActionOut", covariant=True)
#: The arguments of one call of the submission's function: checkpoint, observations of all episodes
#: in one bytes object, and whether all of them begin.
Question = tuple[int, bytes, bool]


class Environment(Protocol[ActionIn]):
    """One episode, begun by its constructor, which is given a `random.Random`."""

    def observation(self) -> bytes:
        """What the policy sees now; always of the same length."""

    def step(self, action: ActionIn) -> tuple[float, bool]:
        """Do it; returns the reward, and whether the episode has ended."""


class AskActions(Protocol[ActionOut]):
    """Asks the player for one valid action for each of `number` episodes."""

    def __call__(
        self, player: Player, number: int, question: Question, seconds: float
    ) -> Sequence[ActionOut]: ...


def play_checkpoints(
    player: Player,
    environment: Callable[[random.Random], Environment[Action]],
    actions: AskActions[Action],
    *,
    checkpoints: int,
    episodes: int,
    horizon: int,
    seconds: float = 10,
) -> list[float]:
    """The returns of all episodes, checkpoint by checkpoint.

    Each checkpoint is played by a process of its own, on episodes of its own: what one of them
    finds out is no use to the next, however it is passed on. `horizon`: most steps of an
    episode. `seconds`: limit for one step of all episodes.
    """
    returns: list[float] = []
    for checkpoint in range(checkpoints):
        player.renew()
        started = [environment(random.Random(player.rng.getrandbits(128))) for _ in range(episodes)]
        returns += play(player, checkpoint, started, actions, horizon, seconds)
    return returns


def play(
    player: Player,
    checkpoint: int,
    environments: Sequence[Environment[Action]],
    actions: AskActions[Action],
    horizon: int,
    seconds: float = 10,
) -> list[float]:
    """The sum of each episode's rewards up to its end, or over `horizon` steps.

    All are played side by side. Of an episode that has ended the last observation is repeated,
    and its actions count for nothing, so that the policy may keep a memory for each of them by its
    place.
    """
    returns = [0.0] * len(environments)
    observations = [each.observation() for each in environments]
    running: Sequence[int] = range(len(environments))
    for step in range(horizon):
        player.context = f"checkpoint {checkpoint}, step {step}"
        question = (checkpoint, b"".join(observations), step == 0)
        chosen = actions(player, len(environments), question, seconds)
        left = []
        for index in running:
            each = environments[index]
            reward, ended = each.step(chosen[index])
            returns[index] += reward
            observations[index] = each.observation()
            if not ended:
                left.append(index)
        running = left
        if not running:
            break
    return returns


def whole_numbers(count: int) -> AskActions[int]:
    """Actions 0 to count - 1."""

    def ask(player: Player, number: int, question: Question, seconds: float) -> list[int]:
        answer: Any = player.ask(*question, seconds=seconds, max_bytes=64 + 32 * number)
        if type(answer) is not list or len(answer) != number:
            found = str(len(answer)) if type(answer) is list else "no list"
            wanted = f"expected a list of {number} actions, one for each episode"
            raise player.invalid(f"{wanted}; got {found}")
        for action in answer:
            if type(action) is not int or not 0 <= action < count:
                wanted = f"expected whole numbers from 0 to {count - 1}"
                raise player.invalid(f"{action!r:.80} is not an action: {wanted}")
        return answer

    return ask


def real_numbers(
    player: Player, number: int, question: Question, seconds: float
) -> Sequence[float]:
    """One finite number for each episode."""
    answer = player.ask_floats(number, *question, seconds=seconds)
    if not all(map(math.isfinite, answer)):
        raise player.invalid("an action is not a finite number")
    return answer


def mean(values: Sequence[float]) -> float:
    """Raises ZeroDivisionError if there are none."""
    return math.fsum(values) / len(values)


def deviation(values: Sequence[float]) -> float:
    """Standard deviation of the values themselves: divided by their number."""
    middle = mean(values)
    return math.sqrt(math.fsum((value - middle) ** 2 for value in values) / len(values))
