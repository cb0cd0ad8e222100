"""Episodes of a submitted policy: what a referee.py of a reinforcement learning task is written with.

    def evaluate(player):
        returns = play_checkpoints(player, Environment, whole_numbers(3), checkpoints=5, episodes=1280, horizon=999)
        return {"Reward Mean": mean(returns), "Reward Std": deviation(returns)}

An environment is one episode: `Environment(rng)` begins it, `observation()` is bytes, `step(action)` returns (reward, ended).
The submission's function is called as function(checkpoint, observations, new) and answers with one action for each episode.
"""

import math
import random


def play_checkpoints(player, environment, actions, *, checkpoints, episodes, horizon, seconds=10):
    """The returns of all episodes, checkpoint by checkpoint.

    Each checkpoint is played by a process of its own, on episodes of its own: what one of them finds out is no use to the next, by
    whatever way it is told.
    """
    returns = []
    for checkpoint in range(checkpoints):
        player.renew()
        started = [environment(random.Random(player.rng.getrandbits(128))) for _ in range(episodes)]
        returns += play(player, checkpoint, started, actions, horizon, seconds)
    return returns


def play(player, checkpoint, environments, actions, horizon, seconds=10):
    """The sum of each episode's rewards up to its end, or over `horizon` steps. All are played side by side.

    Of an episode that has ended the last observation is told again, and its actions count for nothing, so that the policy may keep
    a memory for each of them by its place.
    """
    returns = [0.0] * len(environments)
    observations = [each.observation() for each in environments]
    running = range(len(environments))
    for step in range(horizon):
        player.context = "checkpoint %d, step %d" % (checkpoint, step)
        chosen = actions(player, len(environments), (checkpoint, b"".join(observations), step == 0), seconds)
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


def whole_numbers(count):
    """Actions 0 to count - 1."""

    def ask(player, number, question, seconds):
        answer = player.ask(*question, seconds=seconds, max_bytes=64 + 32 * number)
        if type(answer) is not list or len(answer) != number:
            found = "%d" % len(answer) if type(answer) is list else "no list"
            raise player.invalid("expected a list of %d actions, one for each episode; got %s" % (number, found))
        for action in answer:
            if type(action) is not int or not 0 <= action < count:
                raise player.invalid("%.80r is not an action: expected whole numbers from 0 to %d" % (action, count - 1))
        return answer

    return ask


def real_numbers(player, number, question, seconds):
    """One finite number for each episode."""
    answer = player.ask_floats(number, *question, seconds=seconds)
    if not all(map(math.isfinite, answer)):
        raise player.invalid("an action is not a finite number")
    return answer


def mean(values):
    return math.fsum(values) / len(values)


def deviation(values):
    """Of the values themselves: divided by their number."""
    middle = mean(values)
    return math.sqrt(math.fsum((value - middle) ** 2 for value in values) / len(values))
