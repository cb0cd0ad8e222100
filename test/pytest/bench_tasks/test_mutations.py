"""Submitted files that are mutations of right ones: scored or rejected, whatever their format."""

from __future__ import annotations

import io
import json
import random
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bench_tasks.files import Files, Integer, Number, Text
from bench_tasks.rejected import Rejected

MUTATIONS = 500
PIECES = [
    b"\xff" * 4,
    b"\0" * 4,
    b"9" * 400,
    b"[" * 2000,
    b"e999",
    b"1e200",
    b"\\ud800",
    b"-",
    b'"',
    b"\x7f\xff\xff\xff",
    b"NaN",
    b"\n" * 3,
]


def npy(values: list[float]) -> bytes:
    count = len(values)
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({count},), }}"
    text = header.encode().ljust(117) + b"\n"
    length = len(text).to_bytes(2, "little")
    return b"\x93NUMPY\x01\x00" + length + text + struct.pack(f"<{count}f", *values)


def npz() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x.npy", npy([1, 2, 3]))
        archive.writestr("y.npy", npy([4]))
    return file.getvalue()


def safetensors() -> bytes:
    tensor = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}
    header = json.dumps({"w": tensor, "__metadata__": {"a": "b"}}).encode()
    return len(header).to_bytes(8, "little") + header + struct.pack("<2f", 1, 2)


def read_csv(files: Files) -> Any:
    columns = {"id": Text(), "n": Integer(), "x": Number()}
    return files.csv("a", columns, ids=("id", ["a", "b"]))


def mutated(good: bytes, rng: random.Random) -> bytes:
    data = bytearray(good)
    for _ in range(rng.randrange(1, 4)):
        place = rng.randrange(len(data) + 1)
        kind = rng.randrange(4)
        if kind == 0 and data:
            data[place % len(data)] = rng.randrange(256)
        elif kind == 1:
            data[place:place] = rng.choice(PIECES)
        elif kind == 2:
            data[place : place + 4] = rng.choice(PIECES)[:4]
        else:
            del data[place : place + rng.randrange(1, 9)]
    return bytes(data)


JSON = b'{"a": [1, 2.5, "\\ud83d\\ude00", null], "b": {"c": 1e5}}'


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(
    ("good", "read"),
    [
        pytest.param(b'id,n,x\na,1,2.5\n"b",2,1e3\n', read_csv, id="csv"),
        pytest.param(JSON, lambda files: files.json("a"), id="json"),
        pytest.param(npy([1, 2, 3]), lambda files: files.npy("a"), id="npy"),
        pytest.param(npz(), lambda files: files.npz("a"), id="npz"),
        pytest.param(safetensors(), lambda files: files.safetensors("a"), id="safetensors"),
    ],
)
def test_no_reader_fails(tmp_path: Path, good: bytes, read: Callable[[Files], Any]) -> None:
    rng = random.Random(20)
    folder = str(tmp_path)
    files = Files({"split": "test", "seed": "00" * 32, "answers": folder, "inputs": folder})
    (tmp_path / "a").write_bytes(good)
    read(files)
    rejections = 0
    for _ in range(MUTATIONS):
        data = mutated(good, rng)
        (tmp_path / "a").write_bytes(data)
        try:
            read(files)
        except Rejected as rejected:
            assert len(str(rejected)) < 600
            rejections += 1
        except BaseException as error:
            raise AssertionError(f"{error!r} of {data!r}") from error
    assert rejections > 0
