"""Readers of arrays, applied to files made here: the arrays, or the message of a rejection."""

from __future__ import annotations

import io
import json
import pickle
import re
import struct
import zipfile
from collections.abc import Callable
from typing import Any

import pytest
from bench_tasks.arrays import Array, read_npy, read_npz, read_safetensors
from bench_tasks.rejected import Rejected

FLOATS = struct.pack("<2f", 1.5, -2)
Case = tuple[Callable[[], Any], Any]


def npy(
    descr: str = "<f4",
    shape: str = "(2, 2)",
    order: str = "False",
    body: bytes = struct.pack("<4f", 1, 2, 3, 4),
    version: int = 1,
    header: str | None = None,
) -> bytes:
    plain = f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}"
    text = (header or plain).encode().ljust(117) + b"\n"
    length = len(text).to_bytes(2 if version == 1 else 4, "little")
    return b"\x93NUMPY" + bytes((version, 0)) + length + text + body


def npz(entries: list[tuple[str, bytes]], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as archive:
        for name, data in entries:
            archive.writestr(name, data)
    return file.getvalue()


def tensors(header: Any, body: bytes = b"", length: int | None = None) -> bytes:
    data = header if isinstance(header, bytes) else json.dumps(header).encode()
    return (len(data) if length is None else length).to_bytes(8, "little") + data + body


def tensor(dtype: str = "F32", shape: Any = (2,), start: int = 0, end: int = 8) -> dict[str, Any]:
    return {"dtype": dtype, "shape": shape, "data_offsets": [start, end]}


def shown(read: Callable[..., Any], data: bytes, **options: Any) -> Any:
    try:
        found = read(data, "a", **options)
    except Rejected as rejection:
        return str(rejection)
    if isinstance(found, dict):
        return {key: plain(value) for key, value in found.items()}
    return plain(found)


def plain(one: Array) -> list[Any]:
    return [one.shape, one.dtype, list(one.values)]


class rejected:
    """Equal to a message that the pattern occurs in."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str) and re.search(self.pattern, other) is not None

    def __repr__(self) -> str:
        return f"rejected({self.pattern!r})"


NPY: dict[str, Case] = {
    "float32, row by row": (lambda: shown(read_npy, npy()), [(2, 2), "f4", [1, 2, 3, 4]]),
    "format 2": (lambda: shown(read_npy, npy(version=2)), [(2, 2), "f4", [1, 2, 3, 4]]),
    "one dimension": (
        lambda: shown(read_npy, npy("<i8", "(1,)", body=struct.pack("<q", -7))),
        [(1,), "i8", [-7]],
    ),
    "a scalar": (lambda: shown(read_npy, npy("|u1", "()", body=b"\x09")), [(), "u1", [9]]),
    "an empty one": (lambda: shown(read_npy, npy("<f8", "(0, 3)", body=b"")), [(0, 3), "f8", []]),
    "half floats": (
        lambda: shown(read_npy, npy("<f2", "(2,)", body=struct.pack("<2e", 0.5, -1))),
        [(2,), "f2", [0.5, -1]],
    ),
    "the expected shape": (
        lambda: shown(read_npy, npy(), shape=(None, 2), dtype="f4"),
        [(2, 2), "f4", [1, 2, 3, 4]],
    ),
    "another shape": (
        lambda: shown(read_npy, npy(), shape=(2, 3)),
        rejected(r"shape \(2, 2\); expected \(2, 3\)"),
    ),
    "another number of dimensions": (
        lambda: shown(read_npy, npy(), shape=(4,)),
        rejected(r"expected \(4,\)"),
    ),
    "another type": (
        lambda: shown(read_npy, npy(), dtype=("i4", "i8")),
        rejected(r"type f4; expected"),
    ),
    "objects, which are pickles": (
        lambda: shown(read_npy, npy("|O", "(1,)", body=pickle.dumps([print]))),
        rejected(r"not that of a plain array"),
    ),
    "text": (
        lambda: shown(read_npy, npy("<U1", "(1,)", body=b"aaaa")),
        rejected(r"not that of a plain array"),
    ),
    "fields of records": (
        lambda: shown(
            read_npy,
            npy(header="{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (1,), }"),
        ),
        rejected(r"not that of a plain array"),
    ),
    "an expression in the header": (
        lambda: shown(
            read_npy,
            npy(
                header="{'descr': '<f4', 'fortran_order': False, 'shape': (__import__('os').getpid(),), }"
            ),
        ),
        rejected(r"not that of a plain array"),
    ),
    "big-endian numbers": (
        lambda: shown(read_npy, npy(">f4")),
        rejected(r"not that of a plain array"),
    ),
    "an unknown type": (lambda: shown(read_npy, npy("<c8")), rejected(r"type c8; known are")),
    "Fortran order": (lambda: shown(read_npy, npy(order="True")), rejected(r"Fortran order")),
    "a shape beyond all memory": (
        lambda: shown(read_npy, npy(shape="(4611686018427387904, 4)")),
        rejected(r"size does not fit"),
    ),
    "a shape that overflows": (
        lambda: shown(read_npy, npy(shape="(4294967296, 4294967296, 4)")),
        rejected(r"size does not fit"),
    ),
    "a shape of a thousand digits": (
        lambda: shown(read_npy, npy(shape="(%s,)" % ("9" * 1000))),
        rejected(r"not that of a plain"),
    ),
    "many dimensions": (
        lambda: shown(read_npy, npy(shape="(%s)" % ("1, " * 9))),
        rejected(r"more than 8 dimensions"),
    ),
    "a body that is too long": (
        lambda: shown(read_npy, npy(body=b"x" * 17)),
        rejected(r"size does not fit"),
    ),
    "a body that is cut": (
        lambda: shown(read_npy, npy(body=b"x" * 15)),
        rejected(r"size does not fit"),
    ),
    "NaN": (
        lambda: shown(read_npy, npy(body=struct.pack("<4f", 1, 2, float("nan"), 4))),
        rejected(r"value number 2 is nan"),
    ),
    "infinity": (
        lambda: shown(read_npy, npy(body=struct.pack("<4f", 1, 2, 3, float("inf")))),
        rejected(r"number 3 is inf"),
    ),
    "NaN where it is allowed": (
        lambda: len(
            read_npy(npy(body=struct.pack("<4f", 1, 2, float("nan"), 4)), "a", finite=False).values
        ),
        4,
    ),
    "a header longer than the file": (
        lambda: shown(read_npy, b"\x93NUMPY\x01\x00\xff\xff{}"),
        rejected(r"header"),
    ),
    "a header of gigabytes": (
        lambda: shown(read_npy, b"\x93NUMPY\x02\x00\xff\xff\xff\xff{}"),
        rejected(r"header"),
    ),
    "no array": (lambda: shown(read_npy, b"PK"), rejected(r"not a NumPy array file")),
    "an empty file": (lambda: shown(read_npy, b""), rejected(r"not a NumPy array file")),
}
NPZ: dict[str, Case] = {
    "its arrays by name": (
        lambda: shown(read_npz, npz([("x.npy", npy()), ("y.npy", npy("|u1", "()", body=b"\x01"))])),
        {"x": [(2, 2), "f4", [1, 2, 3, 4]], "y": [(), "u1", [1]]},
    ),
    "an object array": (
        lambda: shown(read_npz, npz([("x.npy", npy("|O"))])),
        rejected(r"'x\.npy' of a: its header"),
    ),
    "no array inside": (
        lambda: shown(read_npz, npz([("x.txt", b"")])),
        rejected(r"'x\.txt' is not an array"),
    ),
    "a name twice": (
        lambda: shown(read_npz, npz([("x.npy", npy()), ("x.npy", npy())])),
        rejected(r"not an array of its own"),
    ),
    "a zip bomb": (
        lambda: shown(read_npz, npz([("x.npy", bytes(3_000_000))]), max_unpacked=1_000_000),
        rejected(r"unpacks to more than 1000000 bytes"),
    ),
    "many small bombs": (
        lambda: shown(
            read_npz,
            npz([(f"{i}.npy", npy(shape="(100000,)", body=bytes(400_000))) for i in range(4)]),
            max_unpacked=1_000_000,
        ),
        rejected(r"unpacks to more than 1000000 bytes"),
    ),
    "too many arrays": (
        lambda: shown(read_npz, npz([(f"{i}.npy", npy()) for i in range(11)]), max_arrays=10),
        rejected(r"more than 10 arrays"),
    ),
    "a cut archive": (
        lambda: shown(read_npz, npz([("x.npy", npy())])[:-30]),
        rejected(r"not a NumPy archive"),
    ),
    "changed bytes": (
        lambda: shown(
            read_npz, npz([("x.npy", npy())], zipfile.ZIP_STORED).replace(b"NUMPY", b"NUMPX")
        ),
        rejected(r"not a NumPy archive.*CRC"),
    ),
    "no archive": (lambda: shown(read_npz, b"hello"), rejected(r"not a NumPy archive")),
    "LZMA, whose streams choose the memory that they take": (
        lambda: shown(read_npz, npz([("x.npy", npy())], zipfile.ZIP_LZMA)),
        rejected(r"compressed in another way than NumPy does it"),
    ),
    "bzip2": (
        lambda: shown(read_npz, npz([("x.npy", npy())], zipfile.ZIP_BZIP2)),
        rejected(r"compressed in another way"),
    ),
    "a member that claims more than there may be": (
        lambda: shown(
            read_npz,
            npz([("x.npy", npy())]).replace(
                (144).to_bytes(4, "little"), (2**31).to_bytes(4, "little")
            ),
        ),
        rejected(r"unpacks to more than"),
    ),
}
SAFETENSORS: dict[str, Case] = {
    "a tensor twice": (
        lambda: shown(
            read_safetensors,
            tensors(b'{"w": %s, "w": %s}' % ((json.dumps(tensor()).encode(),) * 2), FLOATS),
        ),
        rejected(r"the same key twice"),
    ),
    "two tensors in another order than their bytes": (
        lambda: shown(
            read_safetensors, tensors({"b": tensor(start=8, end=16), "a": tensor()}, FLOATS * 2)
        ),
        rejected(r"place in the file"),
    ),
    "an end before the beginning": (
        lambda: shown(read_safetensors, tensors({"w": tensor(start=8, end=0)}, FLOATS)),
        rejected(r"place in the file"),
    ),
    "three offsets": (
        lambda: shown(
            read_safetensors, tensors({"w": {**tensor(), "data_offsets": [0, 4, 8]}}, FLOATS)
        ),
        rejected(r"another form"),
    ),
    "a key that tensors do not have": (
        lambda: shown(read_safetensors, tensors({"w": {**tensor(), "device": "cuda"}}, FLOATS)),
        rejected(r"other keys than"),
    ),
    "metadata that are no text": (
        lambda: shown(read_safetensors, tensors({"__metadata__": {"a": 1}, "w": tensor()}, FLOATS)),
        rejected(r"__metadata__ holds something else"),
    ),
    "NaN in the header": (
        lambda: shown(read_safetensors, tensors(b'{"__metadata__": {"a": NaN}}')),
        rejected(r"header is not that of"),
    ),
    "an offset of a thousand digits": (
        lambda: shown(read_safetensors, tensors({"w": tensor(end=10**1000)}, FLOATS)),
        rejected(r"header is not that of"),
    ),
    "a header of many megabytes": (
        lambda: shown(read_safetensors, tensors(b"{" + b" " * 5_000_000 + b"}")),
        rejected(r"impossible length"),
    ),
    "a number whose square is beyond all floats": (
        lambda: shown(
            read_safetensors, tensors({"w": tensor("F64", (1,))}, struct.pack("<d", -1e200))
        ),
        rejected(r"number 0 is -1e\+200; all must be at most 1e\+100"),
    ),
    "its tensors by name": (
        lambda: shown(
            read_safetensors, tensors({"__metadata__": {"a": "b"}, "w": tensor()}, FLOATS)
        ),
        {"w": [(2,), "f4", [1.5, -2]]},
    ),
    "bfloat16 and half": (
        lambda: shown(
            read_safetensors,
            tensors(
                {"b": tensor("BF16", (2,), 0, 4), "h": tensor("F16", (1,), 4, 6)},
                b"\x80\x3f\x00\xc0" + struct.pack("<e", 0.25),
            ),
        ),
        {"b": [(2,), "bf2", [1, -2]], "h": [(1,), "f2", [0.25]]},
    ),
    "an empty tensor": (
        lambda: shown(read_safetensors, tensors({"w": tensor(shape=(0,), end=0)})),
        {"w": [(0,), "f4", []]},
    ),
    "overlapping tensors": (
        lambda: shown(read_safetensors, tensors({"a": tensor(), "b": tensor()}, FLOATS)),
        rejected(r"place in the file"),
    ),
    "a gap": (
        lambda: shown(read_safetensors, tensors({"w": tensor(start=4, end=12)}, b"1234" + FLOATS)),
        rejected(r"place in the"),
    ),
    "a tensor beyond the end": (
        lambda: shown(read_safetensors, tensors({"w": tensor()}, FLOATS[:4])),
        rejected(r"place in the"),
    ),
    "bytes behind the last": (
        lambda: shown(read_safetensors, tensors({"w": tensor()}, FLOATS + b"x")),
        rejected(r"bytes follow"),
    ),
    "a shape that does not fit": (
        lambda: shown(read_safetensors, tensors({"w": tensor(shape=(2**40, 2**40))}, FLOATS)),
        rejected(r"place in the file"),
    ),
    "negative offsets": (
        lambda: shown(read_safetensors, tensors({"w": tensor(start=-8, end=0)}, FLOATS)),
        rejected(r"not a whole number"),
    ),
    "true in place of a number": (
        lambda: shown(read_safetensors, tensors({"w": tensor(shape=(True, 2))}, FLOATS)),
        rejected(r"not a whole number"),
    ),
    "a shape that is text": (
        lambda: shown(read_safetensors, tensors({"w": tensor(shape="ab")}, FLOATS)),
        rejected(r"of another form"),
    ),
    "an unknown type": (
        lambda: shown(read_safetensors, tensors({"w": tensor("OBJECT")}, FLOATS)),
        rejected(r"type 'OBJECT'; known are"),
    ),
    "NaN": (
        lambda: shown(
            read_safetensors, tensors({"w": tensor()}, struct.pack("<2f", 1, float("nan")))
        ),
        rejected(r"is nan"),
    ),
    "a header longer than the file": (
        lambda: shown(read_safetensors, tensors({}, length=2**63)),
        rejected(r"impossible length"),
    ),
    "a header that is a list": (
        lambda: shown(read_safetensors, tensors([])),
        rejected(r"header is not that of"),
    ),
    "a header nested without end": (
        lambda: shown(read_safetensors, tensors(b"[" * 100_000)),
        rejected(r"header is not that of"),
    ),
    "a header that is no text": (
        lambda: shown(read_safetensors, tensors(b"\xff\xfe")),
        rejected(r"header is not that of"),
    ),
    "too many tensors": (
        lambda: shown(
            read_safetensors, tensors({str(i): tensor() for i in range(11)}), max_tensors=10
        ),
        rejected(r"more than 10 tensors"),
    ),
    "a short file": (lambda: shown(read_safetensors, b"1234567"), rejected(r"too short")),
}


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(
    ("make", "expected"),
    [
        pytest.param(*case, id=f"{sort}: {name}")
        for sort, cases in ((".npy", NPY), (".npz", NPZ), ("safetensors", SAFETENSORS))
        for name, case in cases.items()
    ],
)
def test_reading(make: Callable[[], Any], expected: Any) -> None:
    assert make() == expected
