"""verl's agent loop over bench, with an engine whose replies are scripted: its tokens are masked and paid as they should be."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

from play import KEYS, PLAY, reply


def verl(url: str) -> None:
    from bench_rl.adapters.verl import BenchAgentLoop
    from grpo_step import tokenizer
    from omegaconf import OmegaConf
    from play import by_rest
    from verl.experimental.agent_loop.agent_loop import DictConfigWrap
    from verl.workers.rollout.replica import TokenOutput

    words = tokenizer()
    made: list[list[int]] = []

    async def generate(**_: Any) -> TokenOutput:
        ids = words(reply(PLAY[len(made)]) + "<|im_end|>")["input_ids"]
        made.append(ids)
        return TokenOutput(token_ids=ids, log_probs=[-0.5] * len(ids))

    rollout = {"prompt_length": 32768, "response_length": 32768, "full_determinism": False}
    config = OmegaConf.create({"actor_rollout_ref": {"rollout": rollout}, "data": {}})

    async def play() -> Any:
        loop = BenchAgentLoop(
            DictConfigWrap(config),
            SimpleNamespace(generate=generate),
            words,
            None,
            None,
            DictConfigWrap(config.data),
            bench_url=url,
        )
        row = {"raw_prompt": [{"role": "user", "content": "Begin."}], "extra_info": KEYS}
        return await loop.run({}, **row)

    output = asyncio.run(play())
    generated = [
        i for i, of_model in zip(output.response_ids, output.response_mask, strict=True) if of_model
    ]
    assert generated == [i for ids in made for i in ids], words.decode(generated)
    assert len(output.response_logprobs) == len(output.response_ids)
    paid = [one for one in by_rest(url) if one is not None]
    assert output.reward_score == sum(paid), (output.reward_score, paid)
    assert output.num_turns == 2 * len(PLAY), output.num_turns
