"""The client against a server that dies, refuses and is slow."""

from __future__ import annotations

import pytest
from bench_rl import BenchClient, BenchError, VectorEnv
from scripted_server import AWAY, Server, begun, outcome


def test_numbers_actions_and_waits_for_what_runs(server: Server) -> None:
    server.will("/v1/episodes", (201, begun("e")))
    server.will(
        "/v1/episodes/e/step", (200, outcome(1)), (202, {"status": "running", "action_seq": 2})
    )
    server.will(
        "/v1/episodes/e/steps/2?wait_s=50", (202, {"action_seq": 2}), (200, outcome(2, reward=0.5))
    )
    episode = BenchClient(server.url).reset(task="t")
    assert episode.step("ls").observation == "outcome 1"
    assert episode.step({"reply": "x"}, policy_version=3).reward == 0.5
    sent = [body for _, path, body in server.asked if path.endswith("/step")]
    assert [(one["action"], one["action_seq"], one.get("policy_version")) for one in sent] == [
        ("ls", 1, None),
        ({"reply": "x"}, 2, 3),
    ]


def test_sends_the_same_again_when_the_server_dies_or_starts(server: Server) -> None:
    server.will("/v1/episodes", None, (201, begun("e")))
    server.will("/v1/episodes/e/step", None)
    server.will("/v1/episodes/e/step", (503, {}), starting=True)
    server.will("/v1/episodes/e/step", (200, outcome(1)))
    episode = BenchClient(server.url, patience_s=30).reset()
    assert episode.step("ls").info["action_seq"] == 1
    resets = [body for _, path, body in server.asked if path == "/v1/episodes"]
    assert resets[0] == resets[1] and resets[0]["episode_id"].startswith("e-")
    steps = [body for _, path, body in server.asked if path.endswith("/step")]
    assert len(steps) == 3 and steps[0] == steps[1] == steps[2]


def test_waits_while_services_are_away_and_no_longer_than_its_patience(server: Server) -> None:
    server.will("/v1/episodes", (503, AWAY), (503, AWAY), (201, begun("e")), (503, AWAY))
    assert BenchClient(server.url, patience_s=30).reset().id == "e"
    with pytest.raises(BenchError, match="a service stopped") as raised:
        BenchClient(server.url, patience_s=0).reset()
    assert (raised.value.status, raised.value.code) == (503, "services.connection_lost")
    assert server.asked[0] == server.asked[1] == server.asked[2]


def test_a_refusal_that_breaks_off_is_asked_for_again(server: Server) -> None:
    cut = {"error": {"code": "usage", "message": "no"}}
    server.will("/v1/episodes", (422, cut), length=1000)
    server.will("/v1/episodes", (201, begun("e")))
    assert BenchClient(server.url, patience_s=30).reset().id == "e"


def test_a_fork_that_is_sent_again_is_the_same_fork(server: Server) -> None:
    server.will("/v1/episodes", (201, begun("e")))
    forks = {"episodes": [begun("f-0"), begun("f-1")]}
    server.will("/v1/episodes/e/fork", None, (201, forks), (201, forks))
    episode = BenchClient(server.url).reset()
    assert [fork.id for fork in episode.fork(3, count=2)] == ["f-0", "f-1"]
    episode.fork(3, count=2, group="g")
    lost, again, another = [body for _, path, body in server.asked if path.endswith("/fork")]
    assert lost == again and {"at_step": 3, "count": 2}.items() <= again.items()
    assert another["fork_id"] != again["fork_id"] and another["group"] == "g"


def test_refusals_say_their_code_and_remedy(server: Server) -> None:
    error = {"code": "episodes.at_capacity", "message": "64 are open", "remedy": "End one."}
    server.will("/v1/episodes", (429, {"error": error}))
    with pytest.raises(BenchError, match=r"64 are open\. End one\.") as raised:
        BenchClient(server.url).reset()
    assert (raised.value.status, raised.value.code) == (429, "episodes.at_capacity")


def test_a_refused_action_has_no_number(server: Server) -> None:
    server.will("/v1/episodes", (201, begun("e")))
    server.will("/v1/episodes/e/step", (422, {"error": {"message": "no"}}), (200, outcome(1)))
    episode = BenchClient(server.url).reset()
    with pytest.raises(BenchError):
        episode.step({"nonsense": 1})
    episode.step("ls")
    assert [body["action_seq"] for _, path, body in server.asked if path.endswith("/step")] == [
        1,
        1,
    ]


def test_a_fault_is_no_reward_and_ends_the_episode(server: Server) -> None:
    fault = {"action_seq": 1, "fault": {"reason": "infra_error", "detail": "no disk"}}
    server.will("/v1/episodes", (201, begun("e")))
    server.will("/v1/episodes/e/step", (503, outcome(1, info=fault)))
    step = BenchClient(server.url).reset().step("ls")
    assert (step.reward, step.done, step.fault) == (None, True, "infra_error: no disk")


def test_a_vector_asks_alone_for_what_the_batch_did_not_bring(server: Server) -> None:
    server.will("/v1/episodes", (201, begun("a")), (201, begun("b")), (201, begun("c")))
    slow = {"episode_id": "b", "status": "running", "action_seq": 1}
    server.will("/v1/steps", (200, [slow, {"episode_id": "a", **outcome(1, terminated=True)}]))
    server.will("/v1/episodes/b/step", (200, outcome(1, reward=1.0)))
    server.will("/v1/episodes/c/step", (200, outcome(1, reward=2.0)))
    env = VectorEnv(BenchClient(server.url))
    env.reset([{}, {}, {}])
    steps = env.step(["x", "y", "z"])
    assert [step.reward if step else None for step in steps] == [None, 1.0, 2.0]
    server.will("/v1/steps", (200, [{"episode_id": "b", **outcome(2)}]))
    again = env.step(["x", "y", None])
    assert [body for _, path, body in server.asked if path == "/v1/steps"][1] == [
        {"episode_id": "b", "action": "y", "action_seq": 2, "wait_s": 50}
    ]
    assert again[0] is not None and again[0].terminated and again[1] is not None


def closed(server: Server) -> list[str]:
    return [path for method, path, _ in server.asked if method == "DELETE"]


def test_a_vector_gives_up_what_is_open_at_its_next_reset_and_end(server: Server) -> None:
    for name in ["a", "b", "c"]:
        server.will("/v1/episodes", (201, begun(name)))
        server.will(f"/v1/episodes/{name}", (200, {}))
    server.will("/v1/steps", (200, [{"episode_id": "a", **outcome(1, terminated=True)}]))
    env = VectorEnv(BenchClient(server.url))
    env.reset([{}, {}])
    env.step(["submit", None])
    assert [step and step.done for step in env.step(["ls", None])] == [True, None]
    env.reset([{}])
    assert closed(server) == ["/v1/episodes/b"]
    env.close()
    env.close()
    assert closed(server) == ["/v1/episodes/b", "/v1/episodes/c"]


def test_a_vector_of_which_one_reset_is_refused_keeps_none_open(server: Server) -> None:
    error = {"code": "episodes.at_capacity", "message": "64 are open"}
    server.will("/v1/episodes", (201, begun("a")), (201, begun("b")), (429, {"error": error}))
    unknown = {"code": "episode.not_found", "message": "no episode b"}
    server.will("/v1/episodes/b", (404, {"error": unknown}))
    server.will("/v1/episodes/a", (200, {}))
    env = VectorEnv(BenchClient(server.url))
    with pytest.raises(BenchError, match="64 are open"):
        env.reset([{}, {}, {}])
    assert sorted(closed(server)) == ["/v1/episodes/a", "/v1/episodes/b"] and env.episodes == []


def test_a_refusal_in_a_batch_costs_the_others_nothing(server: Server) -> None:
    server.will("/v1/episodes", *((201, begun(name)) for name in "abc"))
    ended = {"error": {"code": "episode.ended", "message": "episode a has ended"}}
    lines = [{"episode_id": "a", **ended}, {"episode_id": "b", **outcome(1, reward=0.5)}]
    server.will("/v1/steps", (200, lines))
    server.will("/v1/episodes/a/step", (409, ended))
    server.will("/v1/episodes/c/step", (200, outcome(1, reward=0.25)))
    env = VectorEnv(BenchClient(server.url))
    env.reset([{}, {}, {}])
    with pytest.raises(BenchError, match="episode a has ended"):
        env.step(["x", "y", "z"])
    brought = [(episode.seq, episode.last and episode.last.reward) for episode in env.episodes]
    assert brought == [(0, None), (1, 0.5), (1, 0.25)]


def test_a_batch_has_one_action_for_an_episode(server: Server) -> None:
    server.will("/v1/episodes", (201, begun("a")))
    client = BenchClient(server.url)
    episode = client.reset()
    with pytest.raises(ValueError, match="two actions for one episode"):
        client.steps([(episode, "x"), (episode, "y")])
    assert len(server.asked) == 1
