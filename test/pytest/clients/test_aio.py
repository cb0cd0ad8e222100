"""The client for asyncio against a server that dies, refuses and is slow."""

from __future__ import annotations

import asyncio

import pytest
from bench_rl import AsyncBenchClient, BenchError
from bench_rl.client import Step
from scripted_server import AWAY, Server, begun, outcome


def test_numbers_actions_and_waits_for_what_runs(server: Server) -> None:
    server.will("/v1/episodes", (201, begun("e")))
    server.will("/v1/episodes/e/step", (200, outcome(1)), (202, {"action_seq": 2}))
    waits = (202, {"action_seq": 2}), (200, outcome(2, reward=0.5))
    server.will("/v1/episodes/e/steps/2?wait_s=50", *waits)

    async def play() -> list[Step]:
        episode = await AsyncBenchClient(server.url).reset(task="t")
        return [await episode.step("ls"), await episode.step({"reply": "x"})]

    assert [step.reward for step in asyncio.run(play())] == [None, 0.5]
    sent = [body for _, path, body in server.asked if path.endswith("/step")]
    assert [(one["action"], one["action_seq"]) for one in sent] == [("ls", 1), ({"reply": "x"}, 2)]


def test_sends_the_same_again_when_the_server_dies_or_starts(server: Server) -> None:
    server.will("/v1/episodes", None, (201, begun("e")))
    server.will("/v1/episodes/e/step", None)
    server.will("/v1/episodes/e/step", (503, {}), starting=True)
    server.will("/v1/episodes/e/step", (200, outcome(1)))

    async def play() -> Step:
        return await (await AsyncBenchClient(server.url, patience_s=30).reset()).step("ls")

    assert asyncio.run(play()).info["action_seq"] == 1
    steps = [body for _, path, body in server.asked if path.endswith("/step")]
    assert len(steps) == 3 and steps[0] == steps[1] == steps[2]


def test_waits_while_services_are_away(server: Server) -> None:
    server.will("/v1/episodes", (503, AWAY), (503, AWAY), (201, begun("e")))
    assert asyncio.run(AsyncBenchClient(server.url, patience_s=30).reset()).id == "e"


def test_refusals_say_their_code_and_faults_are_no_rewards(server: Server) -> None:
    error = {"code": "episodes.at_capacity", "message": "64 are open", "remedy": "End one."}
    fault = {"action_seq": 1, "fault": {"reason": "infra_error", "detail": "no disk"}}
    server.will("/v1/episodes", (429, {"error": error}), (201, begun("e")))
    server.will("/v1/episodes/e/step", (503, outcome(1, info=fault)))

    async def play() -> Step:
        client = AsyncBenchClient(server.url)
        with pytest.raises(BenchError, match=r"64 are open\. End one\."):
            await client.reset()
        return await (await client.reset()).step("ls")

    step = asyncio.run(play())
    assert (step.reward, step.fault) == (None, "infra_error: no disk")


def test_episodes_are_played_side_by_side(server: Server) -> None:
    names = [f"e{number}" for number in range(50)]
    server.will("/v1/episodes", *((201, begun(name)) for name in names))
    for number, name in enumerate(names):
        server.will(f"/v1/episodes/{name}/step", (200, outcome(1, reward=float(number))))

    async def play(client: AsyncBenchClient) -> tuple[str, float | None]:
        episode = await client.reset()
        return episode.id, (await episode.step("ls")).reward

    async def many() -> list[tuple[str, float | None]]:
        client = AsyncBenchClient(server.url)
        return await asyncio.gather(*(play(client) for _ in names))

    assert dict(asyncio.run(many())) == {name: float(at) for at, name in enumerate(names)}
