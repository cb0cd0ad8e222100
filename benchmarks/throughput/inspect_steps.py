"""Plays samples of trivial steps in Inspect AI, all at once, with a model that answers at once.

`inspect_steps.py <samples> <steps>`, run by inspect.ts in a Python that has inspect-ai. Prints JSON: seconds and CPU seconds of
it and its commands, what it takes to import left out.
"""

from __future__ import annotations

import json
import resource
import sys
import tempfile
import time
from typing import Any

from inspect_ai import Task
from inspect_ai import eval as play
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.solver import generate, use_tools
from inspect_ai.tool import bash


def cpu_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def main() -> None:
    samples, steps = int(sys.argv[1]), int(sys.argv[2])

    def reply(messages: list[Any], *_: Any) -> ModelOutput:
        step = 1 + sum(message.role == "tool" for message in messages)
        # What `scripted:counter` does in bench.
        command = f"echo {step} >> counter.txt; wc -l < counter.txt"
        output = (
            ModelOutput.from_content("mockllm", "Done.")
            if step > steps
            else ModelOutput.for_tool_call("mockllm", "bash", {"cmd": command})
        )
        # Else it counts tokens, by a vocabulary that it fetches.
        output.usage = ModelUsage(input_tokens=10, output_tokens=10, total_tokens=20)
        return output

    task = Task(
        dataset=[Sample(input="Count.") for _ in range(samples)],
        solver=[use_tools(bash(timeout=60)), generate()],
        sandbox="local",
    )
    with tempfile.TemporaryDirectory() as logs:
        began, cpu = time.monotonic(), cpu_seconds()
        [log] = play(
            task,
            model=get_model("mockllm/model", custom_outputs=reply),
            max_samples=samples,
            max_connections=samples,
            max_subprocesses=samples,
            display="none",
            log_dir=logs,
        )
        seconds, cpu = time.monotonic() - began, cpu_seconds() - cpu
        # Read from the log when they are asked for.
        played = sum(m.role == "tool" for sample in log.samples or [] for m in sample.messages)
    print(json.dumps({"status": log.status, "steps": played, "seconds": seconds, "cpu": cpu}))


if __name__ == "__main__":
    main()
