"""Arrays from submitted files, without pickle: NumPy's .npy and .npz, and safetensors.

An array has `shape`, `dtype` ("f4", "i8", …), `values` (flat, row by row: an array.array of Python's) and `numpy()`, where the
image has NumPy. Floats must be finite, and at most 1e100, unless `finite=False`.
"""

import array
import contextlib
import io
import math
import re
import struct
import sys
import zipfile

import bench_json
from bench_files import LARGEST, Rejected, shown

# Kind and bytes per value -> typecode of the array module.
TYPECODES = {"b1": "B", "u1": "B", "i1": "b", "u2": "H", "i2": "h", "u4": "I", "i4": "i", "u8": "Q", "i8": "q", "f4": "f", "f8": "d"}
SAFETENSORS = {
    "BOOL": "b1", "U8": "u1", "I8": "i1", "U16": "u2", "I16": "i2", "U32": "u4", "I32": "i4", "U64": "u8", "I64": "i8",
    "F16": "f2", "BF16": "bf2", "F32": "f4", "F64": "f8",
}  # fmt: skip
WIDTHS = {"f2": 2, "bf2": 2, **{name: array.array(code).itemsize for name, code in TYPECODES.items()}}
MAX_DIMENSIONS = 8
MAX_HEADER = 4 * 1024 * 1024
AT_ONCE = 64 * 1024
NPY_HEADER = re.compile(
    rb"\{'descr': '([<|=])([a-z][0-9])', 'fortran_order': (False|True), 'shape': \(([0-9, ]{0,200})\),? ?\}\s*"
)


class Array:
    def __init__(self, shape, dtype, values):
        self.shape, self.dtype, self.values = shape, dtype, values

    def numpy(self):
        import numpy

        return numpy.frombuffer(self.values, dtype=self.values.typecode).reshape(self.shape)


@contextlib.contextmanager
def within_memory(name):
    """The sizes of a file are its writer's choice: where they are more than the evaluator's memory, the file is at fault."""
    try:
        yield
    except MemoryError:
        raise Rejected("%s takes more memory to read than the evaluator has" % name) from None


def build(name, dtype, shape, data, finite):
    """`data` holds exactly the values, little endian."""
    if dtype == "f2":
        values = array.array("f")
        for start in range(0, len(data), AT_ONCE):
            values.extend(value for (value,) in struct.iter_unpack("<e", data[start : start + AT_ONCE]))
    elif dtype == "bf2":
        # The upper half of a 32-bit float.
        halves = array.array("H")
        halves.frombytes(data)
        if sys.byteorder == "big":
            halves.byteswap()
        values = array.array("I", (value << 16 for value in halves))
        values = array.array("f", values.tobytes())
    else:
        values = array.array(TYPECODES[dtype])
        values.frombytes(data)
        if sys.byteorder == "big":
            values.byteswap()
    if finite and values.typecode in "fd":
        check_values(name, values)
    return Array(shape, dtype, values)


def check_values(name, values):
    if values.typecode == "f" and all(map(math.isfinite, values)):
        return
    for index, value in enumerate(values):
        if not -LARGEST <= value <= LARGEST:
            wanted = "at most %g, either way" % LARGEST if math.isfinite(value) else "finite"
            raise Rejected("%s: value number %d is %s; all must be %s" % (name, index, value, wanted))


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
    with within_memory(name):
        return parse_npy(data, name, shape, dtype, finite)


def parse_npy(data, name, shape, dtype, finite):
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
    with within_memory(name):
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                return parse_npz(archive, name, max_arrays, max_unpacked, finite)
        except (Rejected, MemoryError):
            raise
        except Exception as error:  # zipfile passes on whatever its parts raise about bytes that make no sense
            raise Rejected("%s is not a NumPy archive (.npz): %s" % (name, str(error)[:200])) from None


def parse_npz(archive, name, max_arrays, max_unpacked, finite):
    entries = archive.infolist()
    if len(entries) > max_arrays:
        raise Rejected("%s holds more than %d arrays" % (name, max_arrays))
    found, room = {}, max_unpacked
    for entry in entries:
        if not entry.filename.endswith(".npy") or entry.filename[:-4] in found:
            raise Rejected("%s: %s is not an array of its own" % (name, shown(entry.filename)))
        # What NumPy writes; others take as much memory as their streams ask for.
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise Rejected("%s: %s is compressed in another way than NumPy does it" % (name, shown(entry.filename)))
        if entry.file_size > room:
            raise Rejected("%s unpacks to more than %d bytes" % (name, max_unpacked))
        with archive.open(entry) as file:
            # Its directory may lie about the size.
            unpacked = file.read(entry.file_size + 1)
        room -= len(unpacked)
        if room < 0:
            raise Rejected("%s unpacks to more than %d bytes" % (name, max_unpacked))
        found[entry.filename[:-4]] = parse_npy(unpacked, "%s of %s" % (shown(entry.filename), name), None, None, finite)
    return found


def read_safetensors(data, name, *, max_tensors=10_000, finite=True):
    """Little-endian length of a JSON header, the header, the tensors in its order, without gaps."""
    with within_memory(name):
        return parse_safetensors(data, name, max_tensors, finite)


def parse_safetensors(data, name, max_tensors, finite):
    if len(data) < 8:
        raise Rejected("%s is too short for a safetensors file" % name)
    length = int.from_bytes(data[:8], "little")
    if length > min(len(data) - 8, MAX_HEADER):
        raise Rejected("%s: its header has an impossible length" % name)
    try:
        spans = tensor_spans(data[8 : 8 + length])
    except ValueError as error:
        raise Rejected("%s: its header is not that of a safetensors file (%s)" % (name, str(error)[:200])) from None
    if len(spans) > max_tensors:
        raise Rejected("%s holds more than %d tensors" % (name, max_tensors))
    body = memoryview(data)[8 + length :]
    found, place = {}, 0
    for key, dtype, shape, start, end in spans:
        label = "tensor %s of %s" % (shown(key), name)
        if dtype not in SAFETENSORS:
            raise Rejected("%s has the type %s; known are %s" % (label, shown(dtype), ", ".join(SAFETENSORS)))
        check(label, None, None, shape, None)
        kind = SAFETENSORS[dtype]
        if start != place or end - start != math.prod(shape) * WIDTHS[kind] or end > len(body):
            raise Rejected("%s: its place in the file does not fit its shape, or its neighbours" % label)
        found[key] = build(label, kind, shape, body[start:end], finite)
        place = end
    if place != len(body):
        raise Rejected("%s: bytes follow the last tensor" % name)
    return found


def tensor_spans(header):
    """(name, type, shape, start, end) of each tensor in the header's order. Raises ValueError."""
    if header[:1] != b"{":
        raise ValueError("it is no object")
    spans = []
    for key, value in bench_json.parse(header.decode("utf-8")).items():
        if not isinstance(value, dict):
            raise ValueError("%s is no object" % shown(key))
        if key == "__metadata__":
            if not all(isinstance(text, str) for text in value.values()):
                raise ValueError("__metadata__ holds something else than text")
            continue
        if sorted(value) != ["data_offsets", "dtype", "shape"]:
            raise ValueError("%s has other keys than dtype, shape and data_offsets" % shown(key))
        dtype, shape, offsets = value["dtype"], value["shape"], value["data_offsets"]
        if not isinstance(dtype, str) or not isinstance(shape, list) or not isinstance(offsets, list) or len(offsets) != 2:
            raise ValueError("%s has a dtype, a shape or data_offsets of another form" % shown(key))
        # Python counts True as 1.
        if any(type(number) is not int or number < 0 for number in (*shape, *offsets)):
            raise ValueError("a shape or offset of %s is not a whole number" % shown(key))
        spans.append((key, dtype, tuple(shape), *offsets))
    return spans
