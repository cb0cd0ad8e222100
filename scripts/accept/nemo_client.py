"""Runs NeMo Gym's unmodified gymnasium agent: `nemo_client.py <url of bench> <url of the model>`, run by mcp_nemo.py in its environment."""

from __future__ import annotations

import asyncio
import sys
from typing import Any
from urllib.parse import urlsplit

from nemo_gym.config_types import AggregateMetricsRequest, ModelServerRef, ResourcesServerRef
from nemo_gym.server_utils import BaseServerConfig, ServerClient
from omegaconf import OmegaConf
from responses_api_agents.gymnasium_agent.app import (
    GymnasiumAgent,
    GymnasiumAgentConfig,
    GymnasiumAgentRunRequest,
)
from starlette.requests import Request


def served_at(url: str, path: str = "") -> dict[str, Any]:
    """Its client puts host and port together: a path goes with the port."""
    place = urlsplit(url)
    return {"host": place.hostname, "port": f"{place.port}{place.path}{path}"}


def agent_of(bench: str, model: str) -> GymnasiumAgent:
    servers = OmegaConf.create(
        {
            "bench": {"resources_servers": {"bench": served_at(bench, "/nemo")}},
            "policy": {"responses_api_models": {"policy": served_at(model)}},
        }
    )
    return GymnasiumAgent(
        config=GymnasiumAgentConfig(
            name="agent",
            host="127.0.0.1",
            port=1,
            entrypoint="app.py",
            resources_server=ResourcesServerRef(type="resources_servers", name="bench"),
            model_server=ModelServerRef(type="responses_api_models", name="policy"),
            max_steps=8,
        ),
        server_client=ServerClient(
            head_server_config=BaseServerConfig(host="127.0.0.1", port=1),
            global_config_dict=servers,
        ),
    )


async def main() -> None:
    bench, model = sys.argv[1:3]
    # Its own code takes whatever is there as its configuration.
    del sys.argv[1:]
    agent = agent_of(bench, model)
    request = Request({"type": "http", "headers": [], "method": "POST", "path": "/run"})
    rows = [
        {"task": "battleOfSexes", "seed": seed, "max_steps": 8, "_ng_task_index": 0}
        for seed in (1, 2)
    ]
    runs = [
        await agent.run(
            request,
            GymnasiumAgentRunRequest(
                **row, responses_create_params={"input": "Play.", "parallel_tool_calls": False}
            ),
        )
        for row in rows
    ]
    for run in runs:
        assert run.terminated and not run.truncated, run
        assert run.info["mask_sample"] is False and run.info["evaluation"]["valid"], run.info
        assert abs(run.reward - run.info["evaluation"]["gain"]) < 1e-9, run
    responses = [
        {"_ng_task_index": 0, "_ng_rollout_index": nth, "reward": run.reward, "info": run.info}
        for nth, run in enumerate(runs)
    ]
    metrics = await agent.aggregate_metrics(AggregateMetricsRequest(verify_responses=responses))
    mean = sum(run.reward for run in runs) / len(runs)
    assert abs(metrics.key_metrics["mean/reward"] - mean) < 1e-9, metrics
    print(f"{len(runs)} rollouts, rewards {[run.reward for run in runs]}")


if __name__ == "__main__":
    asyncio.run(main())
