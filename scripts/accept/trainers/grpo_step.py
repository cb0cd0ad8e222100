"""A step of TRL's GRPO with a tiny model whose replies are scripted: what bench pays changes its weights."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from play import RIGHT, TASK, WRONG

# Two generations of a group: they differ in the predictions that they hand in.
PLAYS = [[("run", {"command": edit}), ("validate", {}), ("submit", {})] for edit in (RIGHT, WRONG)]


def tokenizer() -> Any:
    """A byte is a token; Qwen3's markers are one each."""
    import trl
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    made = Tokenizer(models.BPE(vocab={letter: i for i, letter in enumerate(letters)}, merges=[]))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    made.decoder = decoders.ByteLevel()
    ends = {"eos_token": "<|im_end|>", "pad_token": "<|endoftext|>"}
    fast = PreTrainedTokenizerFast(tokenizer_object=made, **ends)
    markers = ["think", "/think", "tool_call", "/tool_call", "tool_response", "/tool_response"]
    fast.add_tokens(["<|im_start|>"], special_tokens=True)
    fast.add_tokens([f"<{marker}>" for marker in markers])
    templates = Path(trl.__file__).parent / "chat_templates"
    fast.chat_template = (templates / "qwen3.jinja").read_text()
    return fast


def model(words: Any) -> Any:
    import json

    import torch
    from transformers import Qwen3Config, Qwen3ForCausalLM

    class Scripted(Qwen3ForCausalLM):
        def generate(self, input_ids: Any = None, **_: Any) -> Any:
            made = []
            for at, row in enumerate(input_ids):
                decoded = words.decode(row)
                turn = decoded.count("<tool_response>")
                which = (0 if json.dumps(RIGHT) in decoded else 1) if turn else at % 2
                said = "Done."
                if turn < len(PLAYS[which]):
                    name, given = PLAYS[which][turn]
                    call = json.dumps({"name": name, "arguments": given})
                    said = f"<tool_call>\n{call}\n</tool_call>"
                made.append(words(said + "<|im_end|>")["input_ids"])
            most = max(map(len, made))
            padded = [ids + [words.pad_token_id] * (most - len(ids)) for ids in made]
            return torch.cat([input_ids, torch.tensor(padded)], dim=1)

    sizes = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2}
    heads = {"num_attention_heads": 2, "num_key_value_heads": 2, "head_dim": 16}
    torch.manual_seed(1)
    return Scripted(
        Qwen3Config(vocab_size=len(words), max_position_embeddings=32768, **sizes, **heads)
    )


def grpo(url: str, protocol: str) -> None:
    import torch
    from datasets import Dataset
    from trl import GRPOConfig, GRPOTrainer

    words = tokenizer()
    policy = model(words)
    if protocol == "ors":
        from trl.experimental.openreward import OpenRewardSpec

        # Its client takes no path: the token is its key, from the environment.
        spec = OpenRewardSpec(url.partition("/t/")[0], indices=[0])
        sources = {
            "train_dataset": spec.train_dataset,
            "environment_factory": spec.environment_factory,
            "reward_funcs": spec.reward_funcs,
        }
    else:
        from bench_rl.adapters.trl import bench_environment

        row = {"prompt": [{"role": "user", "content": ""}], "task": TASK, "seed": 5}
        sources = {
            "train_dataset": Dataset.from_list([row]),
            "environment_factory": bench_environment(url, reward={"mode": "best"}),
            "reward_funcs": [],
        }
    before = [one.detach().clone() for one in policy.parameters()]
    with tempfile.TemporaryDirectory() as folder:
        args = GRPOConfig(
            output_dir=folder, use_cpu=True, max_steps=1, num_generations=2,
            per_device_train_batch_size=2, learning_rate=0.01, max_completion_length=8192,
            report_to="none", bf16=False, logging_steps=1, save_strategy="no",
        )  # fmt: skip
        trainer = GRPOTrainer(model=policy, args=args, processing_class=words, **sources)
        trainer.train()
        found = {key: value for one in trainer.state.log_history for key, value in one.items()}
    print(
        {key: found.get(key) for key in ("reward", "reward_std", "tools/failure_frequency")},
        flush=True,
    )
    assert found["reward_std"] > 0 and found["reward"] > 0, found
    assert found["tools/failure_frequency"] == 0, found
    after = list(policy.parameters())
    assert any(not torch.equal(one, two) for one, two in zip(before, after, strict=True))
