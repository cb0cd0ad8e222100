"""What trainers must be able to do: `play.py <check> <url>`, run by trainers.py in an environment that has them all.

The task is csvClassification, whose scores are the same whenever the same predictions are scored.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any, Callable

TASK = "csvClassification"
KEYS: dict[str, Any] = {"task": TASK, "seed": 5, "reward": {"mode": "delta_prev"}}
RIGHT = (
    """awk -F, 'NR==1{print "id,label";next}{print $1","($2>0)}' data/points.csv > submission.csv"""
)
WRONG = """awk -F, 'NR==1{print "id,label";next}{print $1",0"}' data/points.csv > submission.csv"""
PLAY = ["ls", WRONG, "validate", RIGHT, "validate", "submit"]
Rewards = list[float | None]


def reply(command: str) -> str:
    return f"Next.\n```bash\n{command}\n```\n"


def by_openenv(url: str) -> Rewards:
    from openenv import GenericEnvClient

    with GenericEnvClient(base_url=url).sync() as env:
        env.reset(**KEYS)
        return [env.step({"command": command}).reward for command in PLAY]


def by_ors(url: str) -> Rewards:
    from openreward import OpenReward

    env = OpenReward(base_url="http://localhost").environments.get("bench")
    task = env.get_task(split="train", index=0)
    task.task_spec.update(KEYS)
    tools = {"validate": {}, "submit": {}}
    with env.session(task=task) as session:
        return [
            session.call_tool(
                command if command in tools else "run", tools.get(command, {"command": command})
            ).reward
            for command in PLAY
        ]


def by_rest(url: str) -> Rewards:
    from bench_rl import BenchClient

    episode = BenchClient(url).reset(**KEYS)
    return [episode.step(command).reward for command in PLAY]


def by_vector(url: str) -> Rewards:
    from bench_rl import BenchClient, VectorEnv

    env = VectorEnv(BenchClient(url))
    env.reset([KEYS, KEYS])
    columns = [env.step([command, command]) for command in PLAY]
    rows = [[one.reward for one in column if one] for column in zip(*columns, strict=True)]
    assert rows[0] == rows[1], rows
    return rows[0]


def by_asyncio(url: str) -> Rewards:
    from bench_rl import AsyncBenchClient

    async def play() -> Rewards:
        episode = await AsyncBenchClient(url).reset(**KEYS)
        return [(await episode.step(command)).reward for command in PLAY]

    async def many() -> list[Rewards]:
        return await asyncio.gather(*(play() for _ in range(4)))

    rows = asyncio.run(many())
    assert all(row == rows[0] for row in rows), rows
    return rows[0]


def by_gymnasium(url: str) -> Rewards:
    import gymnasium
    from bench_rl.gym import register

    register(url, [TASK])
    env = gymnasium.make(f"bench/{TASK}")
    env.reset(seed=KEYS["seed"], options={"reward": KEYS["reward"]})
    steps = [env.step(command) for command in PLAY]
    return [reward if info["evaluated"] else None for _, reward, _, _, info in steps]


def by_torchrl(url: str) -> Rewards:
    from bench_rl.adapters.torchrl import make_bench

    plays = iter(PLAY)

    def policy(tensordict: Any) -> Any:
        tensordict["text_response"] = reply(next(plays))
        return tensordict

    env = make_bench(url, **KEYS)
    steps = env.rollout(20, policy)["next"]
    assert steps["done"].flatten().tolist() == [False] * 5 + [True], steps
    # Single precision, as TorchRL's rewards are.
    pairs = zip(steps["reward"].flatten(), steps["evaluated"].flatten(), strict=True)
    return [reward.item() if evaluated else None for reward, evaluated in pairs]


def by_skyrl(url: str) -> Rewards:
    import skyrl_gym
    from bench_rl.adapters.skyrl import register

    register(url)
    env = skyrl_gym.make("bench", env_config={}, extras={**KEYS, "at_step": None})
    prompt, _ = env.init([{"role": "system", "content": "You play."}])
    assert [one["role"] for one in prompt] == ["system", "user"], prompt
    steps = [env.step(reply(command)) for command in PLAY]
    assert [one["done"] for one in steps] == [False] * 5 + [True], steps
    assert env.get_metrics() == {"turns": 6, "format_errors": 0, "evaluated": True}
    return [one["reward"] if one["metadata"]["evaluated"] else None for one in steps]


def by_trl(url: str) -> Rewards:
    """The sum alone: TRL has one reward per episode."""
    from bench_rl.adapters.trl import bench_environment

    env = bench_environment(url, reward=KEYS["reward"])()
    env.reset(prompt="not a key", task=TASK, seed=5)
    tools = {"validate": env.validate, "submit": env.submit}
    for command in PLAY:
        tools[command]() if command in tools else env.run(command)
    return [env.get_reward()]


def rewards(url: str) -> None:
    """One scripted policy by each interface: equal rewards, bit for bit."""
    paid = by_rest(url)
    assert paid[:2] == [None, None] and [one is None for one in paid].count(False) == 3, paid
    print(f"rewards: {paid}", flush=True)
    for play in (by_openenv, by_ors, by_vector, by_asyncio, by_gymnasium, by_skyrl):
        assert play(url) == paid, (play.__name__, play(url), paid)
    import torch

    single = [None if one is None else torch.tensor(one).item() for one in paid]
    assert by_torchrl(url) == single, (by_torchrl(url), single)
    assert by_trl(url) == [sum(one for one in paid if one is not None)], (by_trl(url), paid)


def torchrl(url: str) -> None:
    """Tasks are drawn, the conversation grows, and the penalty of a reply without a command lands."""
    from bench_rl.adapters.torchrl import make_bench

    env = make_bench(
        url,
        tasks=[TASK, "battleOfSexes"],
        reward={"mode": "delta_prev"},
        reward_wrong_format=-0.25,
        max_steps=4,
    )
    env.set_seed(3)
    assert {env.reset()["task"] for _ in range(12)} == {TASK, "battleOfSexes"}
    replies = iter(["I would rather not.", reply("ls"), reply("submit")])

    def policy(tensordict: Any) -> Any:
        tensordict["text_response"] = next(replies)
        return tensordict

    rollout = env.rollout(20, policy)
    assert rollout["next", "reward"].flatten().tolist()[0] == -0.25, rollout["next", "reward"]
    text = rollout[-1]["text"]
    assert text.startswith("user: ") and "assistant: I would rather not." in text, text
    env.close()


def main() -> None:
    from grpo_step import grpo
    from verl_loop import verl

    checks: dict[str, Callable[[str], None]] = {
        "rewards": rewards,
        "torchrl": torchrl,
        "grpo_ors": lambda url: grpo(url, "ors"),
        "grpo_environment": lambda url: grpo(url, "environment"),
        "verl": verl,
    }
    name, url = sys.argv[1:]
    checks[name](url)


if __name__ == "__main__":
    main()
