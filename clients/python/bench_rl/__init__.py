"""Episodes of `bench env serve` for trainers. Needs nothing but the standard library.

client = BenchClient("http://127.0.0.1:8123/t/<token>")
episode = client.reset(task="battleOfSexes", seed=7)
step = episode.step("ls")
"""

from .aio import AsyncBenchClient, AsyncEpisode
from .client import BenchClient, BenchError, Episode, EpisodeFault, Step
from .vector import VectorEnv

__all__ = [
    "AsyncBenchClient",
    "AsyncEpisode",
    "BenchClient",
    "BenchError",
    "Episode",
    "EpisodeFault",
    "Step",
    "VectorEnv",
]
