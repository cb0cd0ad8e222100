"""What unmodified OpenEnv clients must be able to do: `openenv_client.py <check> <url> [options]`, run by openenv.py in an environment of each version."""

from __future__ import annotations

import asyncio
import json
import secrets
import subprocess
import sys
import time
from typing import Any, Callable

from openenv import GenericEnvClient
from websockets.exceptions import ConnectionClosed

PLAY = [
    "printf 'def row_strategy(history):\\n    return 0\\n' > strategy.py",
    "validate",
    "echo once >> n; sleep 6; wc -l < n",
    "printf 'def row_strategy(history):\\n    return 1\\n' > strategy.py",
    "validate",
    "submit",
]


def scripted(url: str, reconnects: bool) -> None:
    """Plays to the end while the server is killed: nothing is lost, nothing done twice, rewards add up."""
    url += "/s/" + secrets.token_urlsafe(16)
    client = GenericEnvClient(base_url=url, message_timeout_s=900).sync()

    def again(step: Callable[[], Any]) -> Any:
        nonlocal client
        for _ in range(120):
            try:
                return step()
            except (ConnectionClosed, ConnectionError):
                time.sleep(0.5)
                if not reconnects:
                    client = GenericEnvClient(base_url=url, message_timeout_s=900).sync()
        raise AssertionError("the server did not come back")

    first = client.reset(task="battleOfSexes", seed=7)
    assert first.reward is None and not first.done, first
    total = 0.0
    seqs = []
    for command in PLAY:
        if "sleep" in command:
            print("now", flush=True)
        result = again(lambda command=command: client.step({"command": command}))
        total += result.reward or 0.0
        seqs.append(result.metadata["action_seq"])
        if "sleep" in command:
            assert result.metadata["output"].strip() == "1", result.metadata
    assert seqs == list(range(1, len(PLAY) + 1)), seqs
    assert result.done and abs(total - result.metadata["evaluation"]["gain"]) < 1e-9, result
    assert client.state()["step_count"] == len(PLAY)
    client.close()


def malformed(url: str) -> None:
    """What a model writes is answered, not raised; what a trainer writes is named."""
    client = GenericEnvClient(base_url=url).sync()
    try:
        client.reset(task="nope")
        raise AssertionError("an unknown task was accepted")
    except RuntimeError as error:
        assert "VALIDATION_ERROR" in str(error) and "battleOfSexes" in str(error), error
    client.reset(task="battleOfSexes")
    result = client.step({"cmd": "ls"})
    assert result.metadata["format_error"] and not result.done, result
    assert client.step({"command": "echo fine"}).metadata["output"] == "fine\n"
    client.close()


def full(url: str) -> None:
    """A full server is an error that says so. `url`: of a server for one episode."""
    first = GenericEnvClient(base_url=url).sync()
    first.reset(task="battleOfSexes")
    second = GenericEnvClient(base_url=url, message_timeout_s=120).sync()
    try:
        second.reset(task="battleOfSexes")
        raise AssertionError("the server was not full")
    except RuntimeError as error:
        assert "CAPACITY_REACHED" in str(error), error
    first.close()


def long_command(url: str) -> None:
    """A command of 90 s with a client that gives up after 60."""
    client = GenericEnvClient(base_url=url).sync()
    client.reset(task="battleOfSexes")
    result = client.step({"command": "sleep 90; echo late"})
    waits = 0
    while result.metadata["status"] == "running":
        assert result.reward is None and not result.done, result
        result = client.step({"command": "wait"})
        waits += 1
    assert waits > 0 and result.metadata["output"] == "late\n", result
    assert result.metadata["action_seq"] == 1, result
    assert client.step({"command": "echo next"}).metadata["output"] == "next\n"
    client.close()


def tools(url: str) -> None:
    """Lists and calls tools, by steps (up to 0.4) or over HTTP."""
    from openenv.core.mcp_client import MCPToolClient

    async def play() -> None:
        async with MCPToolClient(base_url=url + "/envs/battleOfSexes") as client:
            names = [tool.name for tool in await client.list_tools()]
            assert names == ["run", "validate", "submit", "wait", "interrupt"], names
            await client.reset(seed=3)
            assert "hi" in await client.call_tool("run", command="echo hi")
            assert "Nothing was executed" in await client.call_tool("jump")
            assert (await client.state()).step_count == 2

    asyncio.run(play())


def validate(url: str) -> None:
    """`openenv validate --url`: every criterion."""
    program = "from openenv.cli._validation import validate_running_environment as v; import json, sys; print(json.dumps(v(sys.argv[1])))"
    done = subprocess.run(
        [sys.executable, "-I", "-c", program, url], check=True, capture_output=True, text=True
    )
    report = json.loads(done.stdout)
    assert report["passed"] and report["summary"]["passed_count"] == 6, report


def main() -> None:
    check, url, *options = sys.argv[1:]
    checks: dict[str, Callable[[], None]] = {
        "scripted": lambda: scripted(url, "--reconnects" in options),
        "malformed": lambda: malformed(url),
        "full": lambda: full(url),
        "long_command": lambda: long_command(url),
        "tools": lambda: tools(url),
        "validate": lambda: validate(url),
    }
    checks[check]()


main()
