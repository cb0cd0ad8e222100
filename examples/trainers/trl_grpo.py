"""Trains a model with TRL's GRPO on tasks of bench.

pip install clients/python trl transformers datasets
python3 examples/trainers/trl_grpo.py http://127.0.0.1:8123/t/<token> --tasks battleOfSexes,prisonersDilemma
"""

from __future__ import annotations

import argparse

from bench_rl.adapters.trl import bench_environment
from datasets import Dataset  # type: ignore[attr-defined]  # not datasets/ of this checkout
from trl import GRPOConfig, GRPOTrainer

PROMPT = "Solve the task. Use the tools, validate what you have, and submit it when it is good."


def main() -> None:
    parser = argparse.ArgumentParser(description="GRPO on tasks of bench")
    parser.add_argument("url", help="as `bench env serve` prints it")
    parser.add_argument("--model", default="Qwen/Qwen3-0.6B")
    parser.add_argument("--tasks", default="battleOfSexes", help="with commas between them")
    parser.add_argument("--rows", type=int, default=64)
    parser.add_argument("--generations", type=int, default=4, help="episodes of a row")
    given = parser.parse_args()
    tasks = given.tasks.split(",")
    rows = [
        {
            "prompt": [{"role": "user", "content": PROMPT}],
            "task": tasks[number % len(tasks)],
            "seed": number,
            "group": f"row-{number}",
        }
        for number in range(given.rows)
    ]
    trainer = GRPOTrainer(
        model=given.model,
        train_dataset=Dataset.from_list(rows),
        # GRPO compares whole episodes: the best score that each has reached, paid at its end.
        environment_factory=bench_environment(given.url, reward={"mode": "best"}, deadline_s=1800),
        reward_funcs=[],
        args=GRPOConfig(
            output_dir="grpo",
            num_generations=given.generations,
            per_device_train_batch_size=given.generations,
            max_completion_length=8192,
            logging_steps=1,
        ),
    )
    trainer.train()


if __name__ == "__main__":
    main()
