"""TorchRL: `make_bench(url, task="battleOfSexes", tokenizer=tokenizer).rollout(50, policy)`."""

from __future__ import annotations

import random
from typing import Any

import torch
from tensordict import NonTensorData, TensorDict, TensorDictBase
from torchrl.data import Binary, Composite, NonTensor, Unbounded
from torchrl.envs import EnvBase

from ..client import BenchClient, Episode, EpisodeFault
from .format_penalty import with_format_penalty

DONE = ("done", "terminated", "truncated")


class BenchTorchEnv(EnvBase):
    """One episode at a time. The policy reads `text`, and writes its whole reply into `text_response`.

    `observation` is what the last action brought, `text` the conversation so far: by the tokenizer's chat template, or one
    line `role: content` per message. `evaluated` tells a reward of 0 from none. A `task` in the tensordict of a reset is
    played; else one of `tasks` is drawn, as the seed says.
    """

    def __init__(
        self, client: BenchClient, tasks: list[str], tokenizer: Any, device: Any, **keys: Any
    ) -> None:
        super().__init__(device=device, batch_size=())
        self._client = client
        self._tasks = tasks
        self._tokenizer = tokenizer
        self._keys = keys
        self._random = random.Random()
        self._episode: Episode | None = None
        self._task = tasks[0]
        self._messages: list[dict[str, str]] = []
        words = {
            name: NonTensor(example_data="", shape=()) for name in ("observation", "text", "task")
        }
        self.observation_spec = Composite(
            **words, evaluated=Binary(n=1, dtype=torch.bool, shape=(1,)), shape=()
        )
        self.action_spec = Composite(
            text_response=NonTensor(example_data="```bash\nls\n```", shape=()), shape=()
        )
        self.reward_spec = Unbounded(shape=(1,))
        self.done_spec = Composite(
            **{name: Binary(n=1, dtype=torch.bool, shape=(1,)) for name in DONE}, shape=()
        )

    def _reset(self, tensordict: TensorDictBase | None = None, **_: Any) -> TensorDictBase:
        self.close_episode()
        asked = None if tensordict is None else tensordict.get("task", None)
        self._task = self._random.choice(self._tasks) if asked is None else str(_data(asked))
        seed = self._keys.get("seed", self._random.getrandbits(30))
        self._episode = self._client.reset(**{**self._keys, "task": self._task, "seed": seed})
        self._messages = [{"role": "user", "content": self._episode.observation}]
        found = self._seen(self._episode.observation, None)
        return found.update({name: torch.zeros(1, dtype=torch.bool) for name in DONE})

    def _step(self, tensordict: TensorDictBase) -> TensorDictBase:
        """EpisodeFault: it failed by no fault of the policy, and has no reward."""
        if self._episode is None:
            raise RuntimeError("reset comes first")
        reply = str(_data(tensordict.get("text_response")))
        step = self._episode.step({"reply": reply})
        if step.fault is not None:
            raise EpisodeFault(step.fault)
        if step.done:
            self._episode = None
        self._messages += [
            {"role": "assistant", "content": reply},
            {"role": "user", "content": step.observation},
        ]
        found = self._seen(step.observation, step.reward)
        ends = (step.done, step.terminated, step.truncated)
        found.update({name: torch.tensor([end]) for name, end in zip(DONE, ends, strict=True)})
        return found.set("reward", torch.tensor([step.reward or 0.0], dtype=torch.float32))

    def _seen(self, observation: str, reward: float | None) -> TensorDictBase:
        words = {"observation": observation, "text": self._text(), "task": self._task}
        data: dict[str, Any] = {name: NonTensorData(word) for name, word in words.items()}
        data["evaluated"] = torch.tensor([reward is not None])
        return TensorDict(data, batch_size=(), device=self.device)

    def _text(self) -> str:
        if self._tokenizer is None:
            return "\n".join(f"{one['role']}: {one['content']}" for one in self._messages)
        return str(
            self._tokenizer.apply_chat_template(
                self._messages, tokenize=False, add_generation_prompt=True
            )
        )

    def _set_seed(self, seed: int | None) -> None:
        self._random = random.Random(seed)

    def close_episode(self) -> None:
        if self._episode is not None:
            self._episode.close()
            self._episode = None

    def close(self, **keys: Any) -> None:
        self.close_episode()
        super().close(**keys)


def _data(value: Any) -> Any:
    return value.data if hasattr(value, "tolist") and hasattr(value, "data") else value


def make_bench(
    url: str,
    *,
    task: str | None = None,
    tasks: list[str] | None = None,
    tokenizer: Any = None,
    reward_wrong_format: float | None = None,
    device: Any = "cpu",
    token: str | None = None,
    **keys: Any,
) -> BenchTorchEnv:
    """An environment of `task`, or of each reset's draw from `tasks`. `tokenizer`: one, or the name of a pretrained one.

    `reward_wrong_format`, at most 0, is paid for each reply that has no command, beside what `reward` names. `keys`: of
    every reset.
    """
    if (task is None) == (tasks is None or not tasks):
        raise ValueError("give task, or tasks: one of them")
    if isinstance(tokenizer, str):
        from transformers import AutoTokenizer

        tokenizer = AutoTokenizer.from_pretrained(tokenizer)
    if reward_wrong_format is not None:
        keys["reward"] = with_format_penalty(keys.get("reward"), reward_wrong_format)
    chosen = [task] if task is not None else list(tasks or [])
    return BenchTorchEnv(BenchClient(url, token), chosen, tokenizer, device, **keys)
