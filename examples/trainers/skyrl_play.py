"""Plays an episode as SkyRL does. The policy is a list of replies; in a training they are the model's.

    pip install clients/python skyrl-gym
    python3 examples/trainers/skyrl_play.py http://127.0.0.1:8123/t/<token>

To train, call `register` where SkyRL's workers start, and give the dataset's rows `env_class: bench`, `task` and `seed`.
"""

from __future__ import annotations

import sys

import skyrl_gym
from bench_rl.adapters.skyrl import register

REPLIES = [
    "```bash\nprintf 'def row_strategy(history):\\n    return 0\\n' > strategy.py\n```",
    "```bash\nvalidate\n```",
    "```bash\nsubmit\n```",
]


def main(url: str) -> None:
    register(url)
    env = skyrl_gym.make("bench", env_config={}, extras={"task": "battleOfSexes", "seed": 7})
    prompt, info = env.init([{"role": "system", "content": "You are a researcher."}])
    print(f"{info['episode_id']}: {len(prompt[-1]['content'])} characters to begin with")
    for reply in REPLIES:
        step = env.step(reply)
        print(f"{step['reward']:+.3f} {'done' if step['done'] else 'continues'}")
    print(env.get_metrics())
    env.close()


if __name__ == "__main__":
    main(sys.argv[1])
