"""Reading R's data files: data frames out of a package's lazy-load database.

Only what data frames are made of: numbers, texts, factors, logicals. Missing values are None.
"""

from __future__ import annotations

import bz2
import lzma
import struct
import zlib
from typing import Any

MISSING_INT = -0x80000000
# R's NA among doubles: a NaN with this low word.
MISSING_LOW = 1954


def read_package_data(rdx: bytes, rdb: bytes, name: str) -> dict[str, list[Any]]:
    """The data frame `name`, as {column: values}, of a package's data/Rdata.rdx and data/Rdata.rdb.

    Raises KeyError if there is none of this name, ValueError for what is no data frame.
    """
    index = _Reader(_decompress(rdx)).read()
    places = _named(_named(index)["variables"])
    if name not in places:
        raise KeyError(f"there is no {name} among {', '.join(sorted(places))}")
    offset, length = places[name].values
    frame = _Reader(_segment(rdb[offset : offset + length])).read()
    return {column: _plain(vector) for column, vector in _named(frame).items()}


class _Vector:
    """Values with R's attributes, such as names, levels."""

    def __init__(self, values: list[Any]) -> None:
        self.values = values
        self.attributes: dict[str, Any] = {}


def _named(vector: _Vector) -> dict[str, Any]:
    return dict(zip(vector.attributes["names"].values, vector.values))


def _plain(vector: _Vector) -> list[Any]:
    """A column's values; a factor's are its levels."""
    if "levels" not in vector.attributes:
        return vector.values
    levels = vector.attributes["levels"].values
    return [None if value is None else levels[value - 1] for value in vector.values]


def _decompress(data: bytes) -> bytes:
    if data[:2] == b"\x1f\x8b":
        return zlib.decompress(data, 31)
    if data[:3] == b"BZh":
        return bz2.decompress(data)
    if data[:6] == b"\xfd7zXZ\0":
        return lzma.decompress(data)
    try:
        return zlib.decompress(data)
    except zlib.error:
        return data


def _segment(data: bytes) -> bytes:
    """One value of a lazy-load database: its length, then bytes compressed in one of R's ways."""
    length = struct.unpack(">I", data[:4])[0]
    kind, body = data[4:5], data[5:]
    if kind == b"2":
        value = bz2.decompress(body)
    elif kind == b"Z":
        filters = [{"id": lzma.FILTER_LZMA2, "preset": 6}]
        value = lzma.decompress(body, format=lzma.FORMAT_RAW, filters=filters)
    elif kind == b"0":
        value = body
    else:
        value = zlib.decompress(data[4:])
    if len(value) != length:
        raise ValueError(f"a value of {length} bytes has {len(value)}")
    return value


class _Reader:
    """R's serialization in its portable form (XDR), versions 2 and 3. Raises ValueError."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0
        self.references: list[Any] = []
        if self.take(2) != b"X\n":
            raise ValueError("not in R's portable serialization")
        version = self.integer()
        self.at += 8
        if version == 3:
            self.take(self.integer())
        elif version != 2:
            raise ValueError(f"serialization version {version}")

    def take(self, count: int) -> bytes:
        piece = self.data[self.at : self.at + count]
        if len(piece) != count:
            raise ValueError("the data end too early")
        self.at += count
        return piece

    def integer(self) -> int:
        value: int = struct.unpack(">i", self.take(4))[0]
        return value

    def integers(self, count: int) -> tuple[int, ...]:
        return struct.unpack(f">{count}i", self.take(4 * count))

    def read(self) -> Any:
        flags = self.integer()
        kind, has_attributes, has_tag = flags & 0xFF, flags & 0x200, flags & 0x400
        if kind in (254, 253, 252, 251, 250, 242, 241):  # NULL and the well-known environments
            return None
        if kind == 255:
            return self.references[(flags >> 8 or self.integer()) - 1]
        if kind == 1:
            symbol = self.read()
            self.references.append(symbol)
            return symbol
        if kind == 247:  # an environment kept elsewhere in the database
            self.integer()
            name = [self.read() for _ in range(self.integer())]
            self.references.append(name)
            return name
        if kind == 2:
            return self.pairs(has_attributes, has_tag)
        if kind == 9:
            length = self.integer()
            return None if length == -1 else self.take(length).decode("utf-8", "replace")
        if kind == 238:
            return self.compact()
        value = _Vector(self.values(kind))
        if has_attributes:
            value.attributes = self.read()
        return value

    def values(self, kind: int) -> list[Any]:
        count = self.integer()
        if kind in (10, 13):
            return [None if value == MISSING_INT else value for value in self.integers(count)]
        if kind == 14:
            raw = self.take(8 * count)
            numbers = struct.unpack(f">{count}d", raw)
            lows = struct.unpack(f">{2 * count}I", raw)[1::2]
            return [
                None if number != number and low == MISSING_LOW else number
                for number, low in zip(numbers, lows)
            ]
        if kind in (16, 19):
            return [self.read() for _ in range(count)]
        raise ValueError(f"a value of R's type {kind}")

    def pairs(self, has_attributes: int, has_tag: int) -> dict[Any, Any]:
        found = {}
        while True:
            if has_attributes:
                self.read()
            tag = self.read() if has_tag else None
            found[tag] = self.read()
            flags = self.integer()
            if flags & 0xFF == 254:
                return found
            if flags & 0xFF != 2:
                raise ValueError(f"a pair list that ends in R's type {flags & 0xFF}")
            has_attributes, has_tag = flags & 0x200, flags & 0x400

    def compact(self) -> Any:
        """R's short forms: sequences, and vectors with a note that they are sorted."""
        info, state = self.read(), self.read()
        self.read()
        name = next(iter(info.values())) if isinstance(info, dict) else info
        if name == "compact_intseq":
            count, first, step = (int(value) for value in state.values)
            return _Vector([first + step * index for index in range(count)])
        if isinstance(state, dict):
            return next(iter(state.values()))
        if isinstance(state, _Vector) and isinstance(state.values[0], _Vector):
            return state.values[0]
        raise ValueError(f"R's short form {name!r}")
