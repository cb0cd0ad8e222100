"""Arrays from submitted files, without pickle: NumPy's .npy and .npz, and safetensors.

An array has `shape`, `dtype` ("f4", "i8", …), `values` (flat, row by row: an array.array of Python's) and `numpy()`, where the
image has NumPy. Floats must be finite unless `finite=False`.
"""

import array
import io
import json
import math
import re
import struct
import sys
import zipfile
import zlib

from bench_files import Rejected, shown

# Kind and bytes per value -> typecode of the array module.
TYPECODES = {"b1": "B", "u1": "B", "i1": "b", "u2": "H", "i2": "h", "u4": "I", "i4": "i", "u8": "Q", "i8": "q", "f4": "f", "f8": "d"}
SAFETENSORS = {
    "BOOL": "b1", "U8": "u1", "I8": "i1", "U16": "u2", "I16": "i2", "U32": "u4", "I32": "i4", "U64": "u8", "I64": "i8",
    "F16": "f2", "BF16": "bf2", "F32": "f4", "F64": "f8",
}  # fmt: skip
WIDTHS = {"f2": 2, "bf2": 2, **{name: array.array(code).itemsize for name, code in TYPECODES.items()}}
MAX_DIMENSIONS = 8
NPY_HEADER = re.compile(
    rb"\{'descr': '([<|=])([a-z][0-9])', 'fortran_order': (False|True), 'shape': \(([0-9, ]{0,200})\),? ?\}\s*"
)


class Array:
    def __init__(self, shape, dtype, values):
        self.shape, self.dtype, self.values = shape, dtype, values

    def numpy(self):
        import numpy

        return numpy.frombuffer(self.values, dtype=self.values.typecode).reshape(self.shape)


def build(name, dtype, shape, data, finite):
    """`data` holds exactly the values, little endian."""
    if dtype == "f2":
        values = array.array("f", [value for (value,) in struct.iter_unpack("<e", data)])
    elif dtype == "bf2":
        # The upper half of a 32-bit float.
        values = array.array("I", [value << 16 for (value,) in struct.iter_unpack("<H", data)])
        values = array.array("f", values.tobytes())
    else:
        values = array.array(TYPECODES[dtype], data)
        if sys.byteorder == "big":
            values.byteswap()
    if finite and values.typecode in "fd":
        for index, value in enumerate(values):
            if not math.isfinite(value):
                raise Rejected("%s: value number %d is %s; all must be finite" % (name, index, value))
    return Array(shape, dtype, values)


def check(name, shape, dtype, found_shape, found_dtype):
    if len(found_shape) > MAX_DIMENSIONS:
        raise Rejected("%s has more than %d dimensions" % (name, MAX_DIMENSIONS))
    if dtype is not None and found_dtype not in ((dtype,) if isinstance(dtype, str) else dtype):
        raise Rejected("%s has the type %s; expected %s" % (name, found_dtype, dtype))
    if shape is not None and (
        len(shape) != len(found_shape) or any(want is not None and want != got for want, got in zip(shape, found_shape))
    ):
        raise Rejected("%s has the shape %s; expected %s" % (name, found_shape, shape))


def read_npy(data, name, *, shape=None, dtype=None, finite=True):
    """`shape`: what it must be, None for any length of a dimension; `dtype`: "f4", or several of them."""
    if data[:6] != b"\x93NUMPY" or len(data) < 12 or data[6] not in (1, 2):
        raise Rejected("%s is not a NumPy array file (.npy, format 1 or 2)" % name)
    start = 10 if data[6] == 1 else 12
    end = start + int.from_bytes(data[8:start], "little")
    header = NPY_HEADER.fullmatch(data[start:end]) if end - start <= 4096 else None
    if header is None:
        raise Rejected("%s: its header is not that of a plain array of numbers: %s" % (name, shown(data[start : start + 200])))
    dtype_found = header[2].decode()
    if dtype_found not in WIDTHS:
        raise Rejected("%s has the type %s; known are %s" % (name, dtype_found, ", ".join(sorted(WIDTHS))))
    if header[3] == b"True":
        raise Rejected("%s is in Fortran order; write it with numpy.ascontiguousarray" % name)
    shape_found = tuple(int(part) for part in re.findall(rb"[0-9]+", header[4]))
    check(name, shape, dtype, shape_found, dtype_found)
    if len(data) - end != math.prod(shape_found) * WIDTHS[dtype_found]:
        raise Rejected("%s: its size does not fit its shape %s" % (name, shape_found))
    return build(name, dtype_found, shape_found, data[end:], finite)


def read_npz(data, name, *, max_arrays=1000, max_unpacked=256 * 1024 * 1024, finite=True):
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            if len(entries) > max_arrays:
                raise Rejected("%s holds more than %d arrays" % (name, max_arrays))
            found, room = {}, max_unpacked
            for entry in entries:
                if not entry.filename.endswith(".npy") or entry.filename[:-4] in found:
                    raise Rejected("%s: %s is not an array of its own" % (name, shown(entry.filename)))
                with archive.open(entry) as file:
                    # Its directory may lie about the size.
                    unpacked = file.read(room + 1)
                room -= len(unpacked)
                if room < 0:
                    raise Rejected("%s unpacks to more than %d bytes" % (name, max_unpacked))
                found[entry.filename[:-4]] = read_npy(unpacked, "%s of %s" % (entry.filename, name), finite=finite)
            return found
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError, ValueError) as error:
        raise Rejected("%s is not a NumPy archive (.npz): %s" % (name, str(error)[:200])) from None


def read_safetensors(data, name, *, max_tensors=10_000, finite=True):
    """Little-endian length of a JSON header, the header, the tensors without gaps."""
    if len(data) < 8:
        raise Rejected("%s is too short for a safetensors file" % name)
    length = int.from_bytes(data[:8], "little")
    if length > min(len(data) - 8, 16 * 1024 * 1024):
        raise Rejected("%s: its header has an impossible length" % name)
    try:
        header = json.loads(data[8 : 8 + length].decode("utf-8"))
        entries = {key: value for key, value in header.items() if key != "__metadata__"}
        if len(entries) > max_tensors:
            raise Rejected("%s holds more than %d tensors" % (name, max_tensors))
        spans = []
        for key, value in entries.items():
            start, end = value["data_offsets"]
            spans.append((start, end, key, str(value["dtype"]), tuple(value["shape"])))
        # Python counts True as 1.
        if any(type(number) is not int or number < 0 for span in spans for number in (*span[:2], *span[4])):
            raise ValueError("a shape or offset is not a whole number")
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise Rejected("%s: its header is not that of a safetensors file (%s)" % (name, str(error)[:200])) from None
    body = memoryview(data)[8 + length :]
    found, place = {}, 0
    for start, end, key, dtype, shape in sorted(spans):
        label = "tensor %s of %s" % (shown(key), name)
        if dtype not in SAFETENSORS:
            raise Rejected("%s has the type %s; known are %s" % (label, shown(dtype), ", ".join(SAFETENSORS)))
        check(label, None, None, shape, None)
        kind = SAFETENSORS[dtype]
        if start != place or end - start != math.prod(shape) * WIDTHS[kind] or end > len(body):
            raise Rejected("%s: its place in the file does not fit its shape, or its neighbours" % label)
        found[key] = build(label, kind, shape, bytes(body[start:end]), finite)
        place = end
    if place != len(body):
        raise Rejected("%s: bytes follow the last tensor" % name)
    return found
