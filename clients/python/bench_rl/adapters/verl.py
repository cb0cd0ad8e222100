"""verl's agent loop: rows with `agent_name: bench_agent`, and in the file of `agent_loop_config_path`

- name: bench_agent
  _target_: bench_rl.adapters.verl.BenchAgentLoop
  bench_url: http://127.0.0.1:8123/t/TOKEN

Tokens stay as the engine made them. Columns in a row's `extra_info` that are keys of a reset choose the episode.
"""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from verl.experimental.agent_loop.agent_loop import AgentLoopBase, AgentLoopOutput, register
from verl.utils.profiler import simple_timer

from ..aio import AsyncBenchClient
from ..client import EpisodeFault
from .rows import Earned, observed, reset_keys

# verl cannot skip a rollout: one that fails by no fault of the policy is played again.
TRIES = 3


@register("bench_agent")
class BenchAgentLoop(AgentLoopBase):
    """Plays the model's whole replies: the server reads the command out of them."""

    def __init__(
        self, *args: Any, bench_url: str, bench_token: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self._client = AsyncBenchClient(bench_url, bench_token)
        self._most: int = self.rollout_config.response_length

    async def run(self, sampling_params: dict[str, Any], **row: Any) -> AgentLoopOutput:
        """EpisodeFault: it failed `TRIES` times by no fault of the policy."""
        for left in reversed(range(TRIES)):
            try:
                return await self._play(sampling_params, row)
            except EpisodeFault:
                if left == 0:
                    raise
        raise AssertionError("unreachable")

    async def _play(self, sampling_params: dict[str, Any], row: dict[str, Any]) -> AgentLoopOutput:
        episode = await self._client.reset(**reset_keys(row.get("extra_info") or {}))
        messages = observed(list(row["raw_prompt"]), episode.observation)
        prompt: list[int] = await self.ct_build_initial_tokens(messages)
        ids, logprobs = prompt, None
        mask: list[int] = []
        metrics: dict[str, Any] = {}
        earned, turns, done = Earned(), 0, False
        request = uuid4().hex
        try:
            while len(mask) < self._most:
                with simple_timer("generate_sequences", metrics):
                    made = await self.server_manager.generate(
                        request_id=request, prompt_ids=ids, sampling_params=sampling_params
                    )
                metrics["num_preempted"] = metrics.get("num_preempted", 0) + (
                    made.num_preempted or 0
                )
                turns += 1
                merged, mask, logprobs = await self.ct_merge_assistant_token(
                    ids,
                    made.token_ids,
                    mask,
                    (logprobs or []) if made.log_probs else None,
                    assistant_logprobs=made.log_probs or None,
                )
                ids = merged.token_ids
                if len(mask) >= self._most:
                    break
                reply = self.tokenizer.decode(made.token_ids, skip_special_tokens=True)
                with simple_timer("tool_calls", metrics):
                    step = await episode.step({"reply": reply})
                if step.fault is not None:
                    raise EpisodeFault(step.fault)
                earned.add(step)
                done = step.done
                if done:
                    break
                said = [*messages, {"role": "assistant", "content": reply}]
                messages = [*said, {"role": "user", "content": step.observation}]
                merged, mask, logprobs = await self.ct_merge_context_msg(
                    said, messages, ids, mask, logprobs
                )
                ids = merged.token_ids
        finally:
            if not done:
                await episode.close()
        return AgentLoopOutput(
            prompt_ids=prompt,
            response_ids=ids[len(prompt) :][: self._most],
            response_mask=mask[: self._most],
            response_logprobs=None if logprobs is None else logprobs[: self._most],
            reward_score=earned.total or 0.0,
            num_turns=2 * turns,
            metrics=metrics,
            extra_fields={
                "turn_scores": [],
                "tool_rewards": [],
                "episode_id": episode.id,
                "evaluated": earned.total is not None,
            },
        )
