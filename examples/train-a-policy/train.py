"""A policy that learns which edit of a strategy to hand in: REINFORCE over a few scripted edits.

    python3 train.py http://127.0.0.1:8123/t/<token> --curve curve.svg

Each round plays a group of episodes of one task and seed side by side. An episode is two actions: the edit that the policy
chose, and `submit`. Its reward is what the clean evaluation pays. Prints a line per round and the figures at the end; exit
code 1 if the last fifth of the episodes is not better than the first by five standard errors.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import statistics
import sys

from bench_rl import BenchClient, VectorEnv

# Ways to play the row of Battle of the Sexes; the starter is the first.
EDITS = [
    "true",
    "printf 'def row_strategy(history):\\n    return 0\\n' > strategy.py",
    "printf 'def row_strategy(history):\\n    return 1\\n' > strategy.py",
    "printf 'def row_strategy(history):\\n    return len(history) %% 2\\n' > strategy.py",
    "printf 'def row_strategy(history):\\n    return history[-1][1] if history else 0\\n' > strategy.py",
]


class Policy:
    """A softmax over the edits."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self.logits = [0.0] * len(EDITS)

    def probabilities(self) -> list[float]:
        most = max(self.logits)
        weights = [math.exp(logit - most) for logit in self.logits]
        return [weight / sum(weights) for weight in weights]

    def choose(self) -> int:
        return self._random.choices(range(len(EDITS)), self.probabilities())[0]

    def learn(self, chosen: list[int], rewards: list[float], rate: float) -> None:
        """REINFORCE; the baseline of each episode is the mean of the others of its group."""
        if len(rewards) < 2:
            return
        total = sum(rewards)
        probabilities = self.probabilities()
        for edit, reward in zip(chosen, rewards, strict=True):
            advantage = reward - (total - reward) / (len(rewards) - 1)
            for one, probability in enumerate(probabilities):
                gradient = (1.0 if one == edit else 0.0) - probability
                self.logits[one] += rate * advantage * gradient / len(rewards)


def play(client: BenchClient, task: str, version: int, chosen: list[int]) -> list[float | None]:
    """Rewards of a group; None: the episode failed by no fault of the policy."""
    env = VectorEnv(client)
    keys = {"task": task, "seed": version, "group": f"round-{version}", "reward": {"mode": "final"}}
    env.reset([{**keys, "policy_version": version} for _ in chosen])
    env.step([EDITS[edit] for edit in chosen], policy_version=version)
    last = env.step(["submit"] * len(chosen), policy_version=version)
    return [None if step is None or step.fault is not None else step.reward for step in last]


def curve(rewards: list[float], window: int) -> str:
    """Rewards and their moving mean, as SVG."""
    width, height, margin = 640, 320, 40
    low, high = min(rewards), max(rewards)
    span = (high - low) or 1.0

    def point(at: int, value: float) -> tuple[float, float]:
        x = margin + (width - 2 * margin) * at / max(1, len(rewards) - 1)
        return x, height - margin - (height - 2 * margin) * (value - low) / span

    dots = "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2" fill="#9ab"/>'
        for x, y in (point(at, reward) for at, reward in enumerate(rewards))
    )
    means = [
        statistics.mean(rewards[max(0, at - window + 1) : at + 1]) for at in range(len(rewards))
    ]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in (point(at, m) for at, m in enumerate(means)))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">'
        f'<rect width="{width}" height="{height}" fill="white"/>{dots}'
        f'<polyline points="{line}" fill="none" stroke="#036" stroke-width="2"/>'
        f'<text x="{margin}" y="20">reward by episode, and its mean over {window}</text>'
        f'<text x="4" y="{margin}">{high:.2f}</text><text x="4" y="{height - margin}">{low:.2f}</text></svg>\n'
    )


def figures(rewards: list[float]) -> dict[str, float]:
    """Means of the first and the last fifth of the episodes, and their difference in standard errors."""
    fifth = max(2, len(rewards) // 5)
    first, last = rewards[:fifth], rewards[-fifth:]
    error = math.sqrt((statistics.variance(first) + statistics.variance(last)) / fifth)
    gained = statistics.mean(last) - statistics.mean(first)
    return {
        "episodes": len(rewards),
        "first": statistics.mean(first),
        "last": statistics.mean(last),
        "standard_errors": gained / error if error > 0 else math.inf if gained > 0 else 0.0,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("url", help="as `bench env serve` prints it")
    parser.add_argument("--task", default="battleOfSexes")
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--group", type=int, default=8, help="episodes per round")
    parser.add_argument("--rate", type=float, default=4.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--curve", help="file for the curve, as SVG")
    parser.add_argument("--any", action="store_true", help="exit code 0 whatever was learnt")
    given = parser.parse_args()
    client, policy = BenchClient(given.url), Policy(given.seed)
    rewards: list[float] = []
    for version in range(given.rounds):
        chosen = [policy.choose() for _ in range(given.group)]
        paid = play(client, given.task, version, chosen)
        counted = [
            (edit, reward) for edit, reward in zip(chosen, paid, strict=True) if reward is not None
        ]
        policy.learn([edit for edit, _ in counted], [reward for _, reward in counted], given.rate)
        rewards += [reward for _, reward in counted]
        if counted:
            mean = statistics.mean(reward for _, reward in counted)
            shares = " ".join(f"{probability:.2f}" for probability in policy.probabilities())
            print(f"round {version}: mean reward {mean:.3f}, policy {shares}", flush=True)
    found = figures(rewards)
    print(json.dumps({**found, "policy": policy.probabilities()}))
    if given.curve is not None:
        with open(given.curve, "w") as file:
            file.write(curve(rewards, 2 * given.group))
    return 0 if given.any or found["standard_errors"] >= 5 else 1


if __name__ == "__main__":
    sys.exit(main())
