"""Chance that no submission can foresee."""

from __future__ import annotations

import hashlib
import random
import struct
from collections.abc import Iterator


class HiddenRandom(random.Random):
    """Random numbers from a hash stream, with all methods of `random.Random`.

    Unlike the default generator's, later numbers cannot be computed from earlier ones.
    """

    BLOCK = 8192

    def __init__(self, seed: str) -> None:
        """`seed`: hexadecimal; the same seed gives the same numbers on every machine."""
        self._key = bytes.fromhex(seed)
        self._block = 0
        self._values: Iterator[tuple[int]] = iter(())
        super().__init__(0)

    def seed(self, *_: object) -> None:
        """Changes nothing: the seed is given once."""

    def _next(self) -> int:
        for (value,) in self._values:
            return value
        data = hashlib.shake_256(self._key + self._block.to_bytes(8, "big")).digest(self.BLOCK)
        self._block += 1
        self._values = struct.iter_unpack("<Q", data)
        return next(self._values)[0]

    def random(self) -> float:
        """From 0 to below 1."""
        return (self._next() >> 11) * 2.0**-53

    def getrandbits(self, k: int) -> int:
        """An integer of `k` random bits."""
        value = 0
        for _ in range(0, k, 64):
            value = value << 64 | self._next()
        return value >> (-k % 64)
