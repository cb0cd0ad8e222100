"""The Gymnasium environment, against Gymnasium's own checks."""

from __future__ import annotations

import warnings

import gymnasium
import pytest
from bench_rl import EpisodeFault
from bench_rl.gym import BenchEnv, Text, register
from gymnasium.utils.env_checker import check_env
from scripted_server import Server, begun, outcome


def test_passes_the_checks_of_gymnasium(server: Server) -> None:
    # Resets: with seeds, which are compared, and without.
    for number in range(12):
        server.will("/v1/episodes", (201, begun(f"e{number}")))
        server.will(f"/v1/episodes/e{number}", *[(200, {})] * 2)
        server.will(f"/v1/episodes/e{number}/step", *((200, outcome(seq)) for seq in range(1, 5)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_env(BenchEnv(server.url, task="t"), skip_render_check=True)
    resets = [body for _, path, body in server.asked if path == "/v1/episodes"]
    assert {"task": "t", "seed": 123}.items() <= resets[1].items(), resets


def test_is_made_by_its_name_and_tells_ends_apart(server: Server) -> None:
    register(server.url, ["t"])
    server.will("/v1/episodes", (201, begun("e")))
    server.will("/v1/episodes/e/step", (200, outcome(1, reward=0.0)))
    server.will("/v1/episodes/e/step", (200, outcome(2, truncated=True)))
    env = gymnasium.make("bench/t")
    assert env.reset(seed=4, options={"max_steps": 2})[0] == "play"
    _, reward, *_, info = env.step("ls")
    assert (reward, info["evaluated"]) == (0.0, True)
    _, reward, terminated, truncated, info = env.step("ls")
    assert (reward, terminated, truncated, info["evaluated"]) == (0.0, False, True, False)
    asked = server.asked[0][2]
    assert (asked["task"], asked["seed"], asked["max_steps"]) == ("t", 4, 2)


def seeds_of(server: Server) -> list[int]:
    return [body["seed"] for _, path, body in server.asked if path == "/v1/episodes"]


def test_resets_without_a_seed_follow_from_the_last_one(server: Server) -> None:
    for _ in range(6):
        server.will("/v1/episodes", (201, begun("e")))
        server.will("/v1/episodes/e", (200, {}))
    env = BenchEnv(server.url, task="t")
    for seed in [7, None, None, 7, None, None]:
        env.reset(seed=seed)
    seeds = seeds_of(server)
    assert seeds[:3] == seeds[3:] and len(set(seeds)) == 3


def test_each_of_a_vector_has_seeds_of_its_own_and_begins_anew_after_its_end(
    server: Server,
) -> None:
    for number in range(4):
        server.will("/v1/episodes", (201, begun(f"e{number}")))
        server.will(f"/v1/episodes/e{number}/step", (200, outcome(1, reward=1.0, terminated=True)))
        server.will(f"/v1/episodes/e{number}", (200, {}))
    env = gymnasium.vector.SyncVectorEnv([lambda: BenchEnv(server.url, task="t")] * 2)
    env.reset(seed=7)
    _, rewards, terminated, *_ = env.step(("submit", "submit"))
    assert (rewards.tolist(), terminated.tolist()) == ([1.0, 1.0], [True, True])
    # Its next step is the reset: this action goes to nobody.
    observed, rewards, terminated, *_ = env.step(("ls", "ls"))
    assert observed == ("play", "play") and rewards.tolist() == [0.0, 0.0]
    assert not terminated.any() and len(set(seeds_of(server))) == 4
    assert seeds_of(server)[:2] == [7, 8]
    env.close()


def test_a_fork_keeps_the_seed_of_its_origin(server: Server) -> None:
    server.will("/v1/episodes", (201, begun("e")))
    BenchEnv(server.url).reset(options={"fork_of": "o", "at_step": 2})
    assert "seed" not in server.asked[0][2]


def test_a_fault_is_an_error_and_never_a_reward(server: Server) -> None:
    fault = {"action_seq": 1, "fault": {"reason": "infra_error", "detail": "no disk"}}
    server.will("/v1/episodes", (201, begun("e")))
    server.will("/v1/episodes/e/step", (503, outcome(1, info=fault)))
    env = BenchEnv(server.url)
    env.reset()
    with pytest.raises(EpisodeFault, match="no disk"):
        env.step("ls")


def test_any_text_is_an_action() -> None:
    space = Text()
    assert space.contains("echo 'a b'\n\u00e4") and space.contains("") and not space.contains(1)
    assert space == Text()
