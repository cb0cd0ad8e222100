"""Arrays from submitted files, without pickle: NumPy's .npy and .npz, and safetensors.

Floats must be finite, and at most 1e100, unless `finite=False`. What does not fit raises Rejected.
"""

from __future__ import annotations

import array
import contextlib
import io
import math
import re
import struct
import sys
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from . import strict_json
from .files import LARGEST
from .rejected import Rejected, shown

# Kind and bytes per value -> typecode of the array module.
TYPECODES = {
    "b1": "B",
    "u1": "B",
    "i1": "b",
    "u2": "H",
    "i2": "h",
    "u4": "I",
    "i4": "i",
    "u8": "Q",
    "i8": "q",
    "f4": "f",
    "f8": "d",
}
SAFETENSORS = {
    "BOOL": "b1",
    "U8": "u1",
    "I8": "i1",
    "U16": "u2",
    "I16": "i2",
    "U32": "u4",
    "I32": "i4",
    "U64": "u8",
    "I64": "i8",
    "F16": "f2",
    "BF16": "bf2",
    "F32": "f4",
    "F64": "f8",
}
WIDTHS = {
    "f2": 2,
    "bf2": 2,
    **{name: array.array(code).itemsize for name, code in TYPECODES.items()},
}
MAX_DIMENSIONS = 8
MAX_HEADER = 4 * 1024 * 1024
AT_ONCE = 64 * 1024
NPY_HEADER = re.compile(
    rb"\{'descr': '([<|=])([a-z][0-9])', 'fortran_order': (False|True), "
    rb"'shape': \(([0-9, ]{0,200})\),? ?\}\s*"
)

Shape = Sequence["int | None"]


@dataclass(frozen=True)
class Array:
    """`dtype`: kind and bytes per value ("f4", "i8", …; "f2" and "bf2" have 32-bit values).

    `values`: all of them, row by row.
    """

    shape: tuple[int, ...]
    dtype: str
    values: array.array[Any]

    def numpy(self) -> Any:
        """As a numpy.ndarray of this shape, which shares the values. Raises ImportError."""
        import numpy

        return numpy.frombuffer(self.values, dtype=self.values.typecode).reshape(self.shape)


@contextlib.contextmanager
def _within_memory(name: str) -> Iterator[None]:
    """The sizes in a file are its writer's choice: if they are too large, the file is at fault."""
    try:
        yield
    except MemoryError:
        raise Rejected(f"{name} takes more memory to read than the evaluator has") from None


def _build(
    name: str, dtype: str, shape: tuple[int, ...], data: bytes | memoryview, finite: bool
) -> Array:
    """`data` holds exactly the values, little endian."""
    values: array.array[Any]
    if dtype == "f2":
        values = array.array("f")
        for start in range(0, len(data), AT_ONCE):
            halves = struct.iter_unpack("<e", data[start : start + AT_ONCE])
            values.extend(value for (value,) in halves)
    elif dtype == "bf2":
        # The upper half of a 32-bit float.
        upper = array.array("H")
        upper.frombytes(data)
        if sys.byteorder == "big":
            upper.byteswap()
        values = array.array("f", array.array("I", (value << 16 for value in upper)).tobytes())
    else:
        values = array.array(TYPECODES[dtype])
        values.frombytes(data)
        if sys.byteorder == "big":
            values.byteswap()
    if finite and values.typecode in "fd":
        _check_values(name, values)
    return Array(shape, dtype, values)


def _check_values(name: str, values: array.array[float]) -> None:
    if values.typecode == "f" and all(map(math.isfinite, values)):
        return
    for index, value in enumerate(values):
        if not -LARGEST <= value <= LARGEST:
            wanted = f"at most {LARGEST:g}, either way" if math.isfinite(value) else "finite"
            raise Rejected(f"{name}: value number {index} is {value}; all must be {wanted}")


def _check(
    name: str,
    shape: Shape | None,
    dtype: str | Sequence[str] | None,
    found_shape: tuple[int, ...],
    found_dtype: str,
) -> None:
    if len(found_shape) > MAX_DIMENSIONS:
        raise Rejected(f"{name} has more than {MAX_DIMENSIONS} dimensions")
    if dtype is not None and found_dtype not in ((dtype,) if isinstance(dtype, str) else dtype):
        raise Rejected(f"{name} has the type {found_dtype}; expected {dtype}")
    if shape is not None and (
        len(shape) != len(found_shape)
        or any(want is not None and want != got for want, got in zip(shape, found_shape))
    ):
        raise Rejected(f"{name} has the shape {found_shape}; expected {shape}")


def read_npy(
    data: bytes,
    name: str,
    *,
    shape: Shape | None = None,
    dtype: str | Sequence[str] | None = None,
    finite: bool = True,
) -> Array:
    """An array in NumPy's format 1 or 2, in C order.

    `name`: for messages. `shape`: what it must be, None for any length of a dimension.
    `dtype`: "f4", or several of them.
    """
    with _within_memory(name):
        return _parse_npy(data, name, shape, dtype, finite)


def _parse_npy(
    data: bytes, name: str, shape: Shape | None, dtype: str | Sequence[str] | None, finite: bool
) -> Array:
    if data[:6] != b"\x93NUMPY" or len(data) < 12 or data[6] not in (1, 2):
        raise Rejected(f"{name} is not a NumPy array file (.npy, format 1 or 2)")
    start = 10 if data[6] == 1 else 12
    end = start + int.from_bytes(data[8:start], "little")
    header = NPY_HEADER.fullmatch(data[start:end]) if end - start <= 4096 else None
    if header is None:
        found = shown(data[start : start + 200])
        raise Rejected(f"{name}: its header is not that of a plain array of numbers: {found}")
    dtype_found = header[2].decode()
    if dtype_found not in WIDTHS:
        known = ", ".join(sorted(WIDTHS))
        raise Rejected(f"{name} has the type {dtype_found}; known are {known}")
    if header[3] == b"True":
        raise Rejected(f"{name} is in Fortran order; write it with numpy.ascontiguousarray")
    shape_found = tuple(int(part) for part in re.findall(rb"[0-9]+", header[4]))
    _check(name, shape, dtype, shape_found, dtype_found)
    if len(data) - end != math.prod(shape_found) * WIDTHS[dtype_found]:
        raise Rejected(f"{name}: its size does not fit its shape {shape_found}")
    return _build(name, dtype_found, shape_found, data[end:], finite)


def read_npz(
    data: bytes,
    name: str,
    *,
    max_arrays: int = 1000,
    max_unpacked: int = 256 * 1024 * 1024,
    finite: bool = True,
) -> dict[str, Array]:
    """{array name: array} of an archive as NumPy writes it, stored or deflated.

    `max_unpacked`: bytes of all arrays.
    """
    with _within_memory(name):
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                return _parse_npz(archive, name, max_arrays, max_unpacked, finite)
        except (Rejected, MemoryError):
            raise
        # zipfile passes on whatever its parts raise about bytes that make no sense.
        except Exception as error:
            raise Rejected(f"{name} is not a NumPy archive (.npz): {str(error)[:200]}") from None


def _parse_npz(
    archive: zipfile.ZipFile, name: str, max_arrays: int, max_unpacked: int, finite: bool
) -> dict[str, Array]:
    entries = archive.infolist()
    if len(entries) > max_arrays:
        raise Rejected(f"{name} holds more than {max_arrays} arrays")
    found: dict[str, Array] = {}
    room = max_unpacked
    for entry in entries:
        inner = shown(entry.filename)
        if not entry.filename.endswith(".npy") or entry.filename[:-4] in found:
            raise Rejected(f"{name}: {inner} is not an array of its own")
        # What NumPy writes; others take as much memory as their streams ask for.
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise Rejected(f"{name}: {inner} is compressed in another way than NumPy does it")
        if entry.file_size > room:
            raise Rejected(f"{name} unpacks to more than {max_unpacked} bytes")
        with archive.open(entry) as file:
            # Its directory may lie about the size.
            unpacked = file.read(entry.file_size + 1)
        room -= len(unpacked)
        if room < 0:
            raise Rejected(f"{name} unpacks to more than {max_unpacked} bytes")
        label = f"{inner} of {name}"
        found[entry.filename[:-4]] = _parse_npy(unpacked, label, None, None, finite)
    return found


def read_safetensors(
    data: bytes, name: str, *, max_tensors: int = 10_000, finite: bool = True
) -> dict[str, Array]:
    """{tensor name: array} of a safetensors file.

    Little-endian length of a JSON header, the header, the tensors in its order, without gaps.
    """
    with _within_memory(name):
        return _parse_safetensors(data, name, max_tensors, finite)


def _parse_safetensors(data: bytes, name: str, max_tensors: int, finite: bool) -> dict[str, Array]:
    if len(data) < 8:
        raise Rejected(f"{name} is too short for a safetensors file")
    length = int.from_bytes(data[:8], "little")
    if length > min(len(data) - 8, MAX_HEADER):
        raise Rejected(f"{name}: its header has an impossible length")
    try:
        spans = _tensor_spans(data[8 : 8 + length])
    except ValueError as error:
        why = str(error)[:200]
        raise Rejected(f"{name}: its header is not that of a safetensors file ({why})") from None
    if len(spans) > max_tensors:
        raise Rejected(f"{name} holds more than {max_tensors} tensors")
    body = memoryview(data)[8 + length :]
    found: dict[str, Array] = {}
    place = 0
    for span in spans:
        label = f"tensor {shown(span.name)} of {name}"
        if span.dtype not in SAFETENSORS:
            known = ", ".join(SAFETENSORS)
            raise Rejected(f"{label} has the type {shown(span.dtype)}; known are {known}")
        kind = SAFETENSORS[span.dtype]
        _check(label, None, None, span.shape, kind)
        size = math.prod(span.shape) * WIDTHS[kind]
        if span.start != place or span.end - span.start != size or span.end > len(body):
            raise Rejected(
                f"{label}: its place in the file does not fit its shape, or its neighbours"
            )
        found[span.name] = _build(label, kind, span.shape, body[span.start : span.end], finite)
        place = span.end
    if place != len(body):
        raise Rejected(f"{name}: bytes follow the last tensor")
    return found


@dataclass(frozen=True)
class _Span:
    """Where a tensor lies, in bytes from the end of the header."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    start: int
    end: int


def _tensor_spans(header: bytes) -> list[_Span]:
    """The tensors in the header's order. Raises ValueError."""
    if header[:1] != b"{":
        raise ValueError("it is no object")
    spans = []
    for key, value in strict_json.parse(header.decode("utf-8")).items():
        if not isinstance(value, dict):
            raise ValueError(f"{shown(key)} is no object")
        if key == "__metadata__":
            if not all(isinstance(text, str) for text in value.values()):
                raise ValueError("__metadata__ holds something else than text")
            continue
        if sorted(value) != ["data_offsets", "dtype", "shape"]:
            raise ValueError(f"{shown(key)} has other keys than dtype, shape and data_offsets")
        dtype, shape, offsets = value["dtype"], value["shape"], value["data_offsets"]
        if (
            not isinstance(dtype, str)
            or not isinstance(shape, list)
            or not isinstance(offsets, list)
            or len(offsets) != 2
        ):
            raise ValueError(f"{shown(key)} has a dtype, a shape or data_offsets of another form")
        # Python counts True as 1.
        if any(type(number) is not int or number < 0 for number in (*shape, *offsets)):
            raise ValueError(f"a shape or offset of {shown(key)} is not a whole number")
        spans.append(_Span(key, dtype, tuple(shape), *offsets))
    return spans
