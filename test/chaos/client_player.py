"""Plays an episode of the task `stated` with an unmodified client: `client_player.py ors|openenv <url> <seed>`.

A command, as JSON, a line of stdin; what the client was told of it a line of stdout. Whatever the client raises ends this program, but for
OpenEnv's lost connections: there the step is sent again.
"""

from __future__ import annotations

import json
import secrets
import sys
import time
from collections.abc import Callable
from typing import Any

KIND, URL, SEED = sys.argv[1], sys.argv[2], int(sys.argv[3])


def say(message: str, reward: float | None, metadata: dict[str, Any]) -> None:
    names = ("terminated", "truncated", "evaluation")
    told = {"message": message, "reward": reward, **{name: metadata[name] for name in names}}
    print(json.dumps(told), flush=True)


def ors() -> None:
    from openreward import OpenReward

    env = OpenReward(base_url="http://localhost").environments.get("bench")
    task = env.get_task(split="train", index=0)
    task.task_spec.update({"task": "stated", "seed": SEED, "reward": {"mode": "delta_prev"}})
    with env.session(task=task) as session:
        for line in sys.stdin:
            command = json.loads(line)
            own = command in ("validate", "submit")
            given = {} if own else {"command": command}
            said = session.call_tool(command if own else "run", given)
            say("".join(block.text for block in said.blocks), said.reward, said.metadata)


def openenv() -> None:
    from openenv import GenericEnvClient
    from websockets.exceptions import ConnectionClosed

    def again(step: Callable[[], Any]) -> Any:
        for _ in range(240):
            try:
                return step()
            except (ConnectionClosed, ConnectionError):
                time.sleep(0.5)
        raise AssertionError("the server did not come back")

    url = f"{URL}/s/{secrets.token_urlsafe(16)}"
    env = GenericEnvClient(base_url=url, message_timeout_s=900).sync()
    again(lambda: env.reset(task="stated", seed=SEED))
    for line in sys.stdin:
        command = json.loads(line)
        said = again(lambda command=command: env.step({"command": command}))
        while said.metadata["status"] == "running":
            said = again(lambda: env.step({"command": "wait"}))
        say(said.observation["message"], said.reward, said.metadata)
    again(env.close)


{"ors": ors, "openenv": openenv}[KIND]()
