"""Plays an episode in TorchRL. The policy is a list of replies: put a model's in their place.

pip install clients/python torchrl
python3 examples/trainers/torchrl_rollout.py http://127.0.0.1:8123/t/<token>
"""

from __future__ import annotations

import sys
from typing import Any

from bench_rl.adapters.torchrl import make_bench

REPLIES = [
    "I would rather think about it.",
    "```bash\nprintf 'def row_strategy(history):\\n    return 0\\n' > strategy.py\n```",
    "```bash\nvalidate\n```",
    "```bash\nsubmit\n```",
]


def main(url: str) -> None:
    replies = iter(REPLIES)

    # TorchRL knows by the parameter's name that the policy takes the whole tensordict.
    def policy(tensordict: Any) -> Any:
        tensordict["text_response"] = next(replies)
        return tensordict

    env = make_bench(
        url, task="battleOfSexes", reward={"mode": "delta_prev"}, reward_wrong_format=-0.1
    )
    rollout = env.rollout(50, policy)
    for step in rollout["next"]:
        print(f"{step['reward'].item():+.3f} {step['observation'].splitlines()[0]}")
    env.close()


if __name__ == "__main__":
    main(sys.argv[1])
