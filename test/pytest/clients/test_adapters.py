"""What adapters have in common, and TRL's, which needs nothing of TRL."""

from __future__ import annotations

import inspect

import pytest
from bench_rl.adapters.format_penalty import with_format_penalty
from bench_rl.adapters.rows import observed, reset_keys
from bench_rl.adapters.trl import bench_environment
from scripted_server import Server, begun, outcome


def test_columns_that_are_no_keys_or_empty_are_left_out() -> None:
    class Number:
        def item(self) -> int:
            return 7

    row = {"prompt": "x", "task": "t", "seed": Number(), "fork_of": None, "difficulty": 3}
    assert reset_keys(row) == {"task": "t", "seed": 7}


def test_the_observation_ends_the_prompt() -> None:
    system = {"role": "system", "content": "s"}
    assert observed([system], "o") == [system, {"role": "user", "content": "o"}]
    asked = [system, {"role": "user", "content": "p"}]
    assert observed(asked, "o") == [system, {"role": "user", "content": "p\no"}]
    assert observed([{"role": "user", "content": ""}], "o") == [{"role": "user", "content": "o"}]


def test_trl_is_paid_the_sum_of_what_was_evaluated(server: Server) -> None:
    server.will("/v1/episodes", (201, begun("e")))
    server.will("/v1/episodes/e/step", (200, outcome(1)), (200, outcome(2, reward=0.25)))
    server.will("/v1/episodes/e/step", (200, outcome(3, reward=0.5, terminated=True)))
    env = bench_environment(server.url, max_steps=4)()
    assert env.reset(task="t", prompt=[]) == "play"
    assert [env.run("ls"), env.validate()] == ["outcome 1", "outcome 2"]
    env.submit()
    with pytest.raises(ValueError, match="has ended"):
        env.run("ls")
    assert env.get_reward() == 0.75
    assert {"task": "t", "max_steps": 4}.items() <= server.asked[0][2].items()


def test_trl_is_paid_nothing_for_what_was_not_evaluated_or_failed(server: Server) -> None:
    fault = {"action_seq": 2, "fault": {"reason": "infra_error", "detail": "no disk"}}
    server.will("/v1/episodes", (201, begun("a")), (201, begun("b")))
    server.will("/v1/episodes/a/step", (200, outcome(1)))
    server.will("/v1/episodes/a/steps/2", (404, {"error": {"message": "no such action"}}))
    server.will("/v1/episodes/a", (200, {}))
    server.will("/v1/episodes/b/step", (200, outcome(1, reward=1.0)), (503, outcome(2, info=fault)))
    env = bench_environment(server.url)()
    env.reset()
    env.run("ls")
    assert env.get_reward() is None
    assert ("DELETE", "/v1/episodes/a", None) in server.asked
    env.reset()
    env.validate()
    env.run("ls")
    assert env.get_reward() is None


def test_trl_is_paid_what_the_deadline_ended(server: Server) -> None:
    server.will("/v1/episodes", (201, begun("e")))
    server.will("/v1/episodes/e/step", (200, outcome(1)))
    server.will("/v1/episodes/e/steps/2", (200, outcome(2, reward=0.5, truncated=True)))
    server.will("/v1/episodes/e", (200, {}))
    env = bench_environment(server.url, reward={"mode": "best"}, deadline_s=6)()
    env.reset()
    env.run("ls")
    assert env.get_reward() == 0.5


def test_tools_of_trl_are_described() -> None:
    methods = inspect.getmembers(bench_environment("http://x"), inspect.isfunction)
    tools = {name: method.__doc__ for name, method in methods if not name.startswith("_")}
    assert set(tools) == {"reset", "get_reward", "run", "validate", "submit"}
    assert all("Returns:" in (tools[name] or "") for name in ("run", "validate", "submit"))


def test_a_format_penalty_changes_nothing_else_of_the_reward() -> None:
    preset = {"preset": "torchrl"}
    assert with_format_penalty(preset, -0.1) == {"preset": "torchrl", "format_penalty": 0.1}
    assert preset == {"preset": "torchrl"}
    best = {"mode": "best", "scale": 2}
    assert with_format_penalty(best, -0.5) == {"mode": "best", "scale": 2, "format_penalty": 0.5}
    with pytest.raises(ValueError, match=r"needs reward.*preset"):
        with_format_penalty(None, -0.1)
    with pytest.raises(ValueError, match="would pay for mistakes"):
        with_format_penalty(preset, 0.1)
