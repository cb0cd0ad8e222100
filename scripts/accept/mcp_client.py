"""Plays with MCP's unmodified client of 1.x: `mcp_client.py <check> <url>`, run by mcp_nemo.py in its environment."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client

RESET = {"X-Bench-Reset": json.dumps({"task": "battleOfSexes", "seed": 7})}
ALWAYS = "printf 'def row_strategy(history):\\n    return 0\\n' > strategy.py"


def text_of(result: Any) -> str:
    return "".join(block.text for block in result.content)


async def played(session: ClientSession, instructions: str) -> None:
    """The task is in the instructions, tools play it, and a call outlives the death of the server."""
    assert "row" in instructions, instructions
    tools = [tool.name for tool in (await session.list_tools()).tools]
    assert tools == ["run", "validate", "submit", "wait", "interrupt"], tools
    prompt = await session.get_prompt("task")
    assert prompt.messages[0].content.text == instructions
    refused = await session.call_tool("jump", {})
    assert refused.isError and "not a valid tool" in text_of(refused), refused
    print("kill the server", flush=True)
    result = await session.call_tool("run", {"command": "echo x >> n; sleep 8; wc -l < n"})
    assert text_of(result).startswith("1\n"), result
    await session.call_tool("run", {"command": ALWAYS})
    validated = await session.call_tool("validate", {})
    assert validated.meta["bench"]["metadata"]["evaluation"]["valid"], validated
    done = await session.call_tool("submit", {})
    assert done.meta["bench"]["done"] and done.meta["bench"]["reward"] is not None, done
    print(f"reward {done.meta['bench']['reward']}")


async def slow(session: ClientSession, _instructions: str, seconds: str) -> None:
    """A command longer than any timeout: nothing is lost, and no answer is another's."""
    first = session.call_tool("run", {"command": f"sleep {seconds}; echo slept"})
    assert text_of(await first).startswith("slept\n")
    assert text_of(await session.call_tool("run", {"command": "echo after"})).startswith("after\n")


async def main() -> None:
    name, url, *more = sys.argv[1:]
    async with (
        streamablehttp_client(f"{url}/v1/mcp", headers=RESET) as (read, write, _),
        ClientSession(read, write) as session,
    ):
        hello = await session.initialize()
        await {"played": played, "slow": slow}[name](session, hello.instructions or "", *more)


asyncio.run(main())
