"""Files of images: IDX, as MNIST and its kin have it, and NumPy's .npy; without NumPy."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Sequence

# IDX: two zeros, the type (8: unsigned bytes), the number of dimensions; their sizes; the values
# row by row.
IDX_BYTES = 0x08


def read_idx(data: bytes) -> tuple[tuple[int, ...], bytes]:
    """(shape, values row by row) of an IDX file of unsigned bytes. Raises ValueError."""
    if len(data) < 4 or data[:2] != b"\0\0" or data[2] != IDX_BYTES:
        raise ValueError("no IDX file of unsigned bytes")
    start = 4 + 4 * data[3]
    shape = struct.unpack(f">{data[3]}I", data[4:start])
    values = data[start:]
    if len(values) != math.prod(shape):
        raise ValueError(f"an IDX file of the shape {shape} has {len(values)} values")
    return shape, values


def write_idx(path: str, shape: Sequence[int], parts: Iterable[bytes]) -> None:
    """Unsigned bytes of this shape. `parts`: pieces of the values, in their order.

    Raises ValueError if they are not as many as the shape says.
    """
    header = struct.pack(f">BBBB{len(shape)}I", 0, 0, IDX_BYTES, len(shape), *shape)
    _write(path, header, shape, parts)


def write_npy(path: str, shape: Sequence[int], parts: Iterable[bytes]) -> None:
    """An array of unsigned bytes for numpy.load. `parts`, and what is raised: as of `write_idx`."""
    sizes = ", ".join(str(size) for size in shape) + ("," if len(shape) == 1 else "")
    header = f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({sizes}), }}"
    # The values begin at a multiple of 64.
    header += " " * (-(len(header) + 11) % 64) + "\n"
    start = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
    _write(path, start, shape, parts)


def _write(path: str, header: bytes, shape: Sequence[int], parts: Iterable[bytes]) -> None:
    written = 0
    with open(path, "wb") as file:
        file.write(header)
        for part in parts:
            written += file.write(part)
    if written != math.prod(shape):
        raise ValueError(
            f"{written} values were given for {path}, which has the shape {tuple(shape)}"
        )
