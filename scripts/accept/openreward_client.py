"""What the unmodified client of ORS must be able to do: `openreward_client.py <check>`, run by openreward.py in an environment of each version."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable

from openreward import OpenReward
from openreward.api.errors import ToolCallError

ALWAYS = "printf 'def row_strategy(history):\\n    return {}\\n' > strategy.py"


def environment() -> Any:
    return OpenReward(base_url="http://localhost").environments.get("bench")


def printed(session: Any, command: str) -> str:
    text: str = session.call_tool("run", {"command": command}).blocks[0].text
    return text.strip()


def listed() -> None:
    """Tasks, splits and tools are there without a session."""
    env = environment()
    assert env.list_splits() == ["train", "held-out"], env.list_splits()
    assert [one.task_spec for one in env.list_tasks(split="held-out")] == [
        {"task": "prisonersDilemma"}
    ]
    tasks = env.list_tasks(split="train")
    assert len(tasks) == env.num_tasks(split="train") == 2, tasks
    assert env.get_task(split="train", index=1).task_spec == tasks[1].task_spec
    names = [tool.name for tool in env.list_tools()]
    assert names == ["run", "validate", "submit", "wait", "interrupt"], names


def played() -> None:
    """A session survives the server's death in the middle of a command, which is executed once; the last reward is the episode's."""
    env = environment()
    with env.session(split="train", index=0) as session:
        assert "row" in session.get_prompt()[0].text
        assert len(session.list_tools()) == 5 and len(session.get_messages()) == 1
        for deaths, process in enumerate(["front", "server"]):
            print(f"kill the {process}", flush=True)
            session.call_tool("run", {"command": "echo x >> n; sleep 8"})
            assert printed(session, "wc -l < n") == str(deaths + 1)
        session.call_tool("run", {"command": ALWAYS.format(0)})
        validated = session.call_tool("validate", {})
        assert validated.metadata["evaluation"]["valid"], validated
        done = session.call_tool("submit", {})
        assert done.finished, done
        gains = [one.metadata["evaluation"]["gain"] for one in (validated, done)]
        assert abs(done.reward - max(gains)) < 1e-9, (done.reward, gains)
        expect_refusal(session, "run", {"command": "ls"}, "episode_finished")


def refused() -> None:
    """What a model does wrong is a refusal that it can read: the session continues."""
    env = environment()
    with env.session(task=env.get_task(split="train", index=0)) as session:
        expect_refusal(session, "jump", {}, "not_found")
        expect_refusal(session, "run", {"cmd": "ls"}, "input_validation")
        assert printed(session, "echo fine") == "fine"


def expect_refusal(session: Any, name: str, given: dict[str, Any], reason: str) -> None:
    try:
        session.call_tool(name, given)
    except ToolCallError as error:
        assert error.reason == reason, error
    else:
        raise AssertionError(f"{name} was not refused")


def long_result() -> None:
    """A result of many lines and spaces arrives as it was printed."""
    with environment().session(split="train", index=0) as session:
        session.call_tool("run", {"command": "python3 -c \"print(' ä' * 400000)\" > long"})
        assert " ä ä ä" in session.call_tool("run", {"command": "cat long"}).blocks[0].text


def many() -> None:
    """Sessions side by side, while the server dies: each command is executed once."""
    env = environment()

    def play(number: int) -> str:
        with env.session(split="train", index=number % 2) as session:
            for _ in range(3):
                session.call_tool("run", {"command": "echo x >> n; sleep 2"})
            return printed(session, "wc -l < n")

    with ThreadPoolExecutor(4) as pool:
        plays = [pool.submit(play, number) for number in range(4)]
        print("kill the server", flush=True)
        assert [one.result() for one in plays] == ["3"] * 4


def main() -> None:
    checks: dict[str, Callable[[], None]] = {
        "listed": listed,
        "played": played,
        "refused": refused,
        "long_result": long_result,
        "many": many,
    }
    checks[sys.argv[1]]()


main()
