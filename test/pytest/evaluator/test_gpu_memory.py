"""CUDA reserves more addresses than a limit on them could allow."""

from __future__ import annotations

from init import Evaluation


def evaluation(**more: object) -> Evaluation:
    spec = {"kind": "data", "memoryMb": 3, "refereeMemoryMb": 2, **more}
    return Evaluation("/job", {"evaluator": spec, "users": None, "lifeline": False})


def test_address_space_is_limited_without_a_gpu() -> None:
    assert evaluation().memory("memoryMb") == 3 * 2**20
    assert evaluation(gpu=False).memory("refereeMemoryMb") == 2 * 2**20


def test_with_a_gpu_the_container_alone_limits_memory() -> None:
    assert evaluation(gpu=True).memory("memoryMb") == -1
