"""Plays samples of trivial commands in Inspect AI, all at once.

`inspect_play.py <case as JSON>`, run by inspect-side.ts in a Python that has inspect-ai. Prints JSON: status, seconds, CPU
seconds of the imports, and how many outputs of commands were those expected.
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
from inspect_ai.model import GenerateConfig, Model, ModelOutput, ModelUsage, get_model
from inspect_ai.solver import generate, use_tools
from inspect_ai.tool import bash
from inspect_ai.tool._tool_def import ToolDef

# Empty, as the file begins; commands append a line each.
COMMAND = "echo x >> counter.txt; echo count=$(wc -l < counter.txt)"


def scripted(steps: int) -> Model:
    argument = next(iter(ToolDef(bash()).parameters.properties))

    def reply(messages: list[Any], *_: Any) -> ModelOutput:
        step = 1 + sum(message.role == "tool" for message in messages)
        output = (
            ModelOutput.from_content("mockllm", "Done.")
            if step > steps
            else ModelOutput.for_tool_call("mockllm", "bash", {argument: COMMAND})
        )
        # Else it counts tokens, by a vocabulary that it fetches.
        output.usage = ModelUsage(input_tokens=10, output_tokens=10, total_tokens=20)
        return output

    return get_model("mockllm/model", custom_outputs=reply)


def model_of(case: dict[str, Any]) -> Model:
    if case["model"] == "scripted":
        return scripted(case["steps"])
    if case["model"] == "anthropic":
        # Longer replies are streamed.
        short = GenerateConfig(max_tokens=1000)
        return get_model("anthropic/counting", base_url=case["url"], api_key="none", config=short)
    return get_model("openai-api/counting/counting", base_url=f"{case['url']}/v1", api_key="none")


def main() -> None:
    case = json.loads(sys.argv[1])
    samples = case["runs"]
    task = Task(
        dataset=[Sample(input="Count.") for _ in range(samples)],
        solver=[use_tools(bash(timeout=60)), generate()],
        sandbox="local",
    )
    with tempfile.TemporaryDirectory() as logs:
        model = model_of(case)
        used = resource.getrusage(resource.RUSAGE_SELF)
        imports, began = used.ru_utime + used.ru_stime, time.monotonic()
        [log] = play(
            task,
            model=model,
            max_samples=samples,
            max_connections=samples,
            max_subprocesses=samples,
            display="none",
            log_dir=logs,
        )
        seconds = time.monotonic() - began
        # Read from the log when they are asked for.
        counted = 0
        for sample in log.samples or []:
            outputs = [m.text for m in sample.messages if m.role == "tool"]
            counted += sum(f"count={n}" in text.split() for n, text in enumerate(outputs, 1))
    error = None if log.error is None else log.error.message
    found = {"status": log.status, "error": error, "counted": counted}
    print(json.dumps({**found, "seconds": seconds, "importSeconds": imports}))


if __name__ == "__main__":
    main()
