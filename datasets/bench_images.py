"""Files of images: IDX, as MNIST and its kin have it, and NumPy's .npy, both written without NumPy."""

import struct

# IDX: two zeros, the type (8: unsigned bytes), the number of dimensions; their sizes; the values row by row.
IDX_BYTES = 0x08


def read_idx(data):
    """(shape, bytes) of an IDX file of unsigned bytes."""
    if len(data) < 4 or data[:2] != b"\0\0" or data[2] != IDX_BYTES:
        raise ValueError("no IDX file of unsigned bytes")
    start = 4 + 4 * data[3]
    shape = struct.unpack(">%dI" % data[3], data[4:start])
    values = data[start:]
    if len(values) != product(shape):
        raise ValueError("an IDX file of the shape %s has %d values" % (shape, len(values)))
    return shape, values


def write_idx(path, shape, parts):
    """`parts`: pieces of the values, in their order."""
    header = struct.pack(">BBBB%dI" % len(shape), 0, 0, IDX_BYTES, len(shape), *shape)
    write(path, header, shape, parts)


def write_npy(path, shape, parts):
    """An array of unsigned bytes for numpy.load."""
    sizes = ", ".join(str(size) for size in shape) + ("," if len(shape) == 1 else "")
    header = "{'descr': '|u1', 'fortran_order': False, 'shape': (%s), }" % sizes
    # The values begin at a multiple of 64.
    header += " " * (-(len(header) + 11) % 64) + "\n"
    write(path, b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode(), shape, parts)


def write(path, header, shape, parts):
    written = 0
    with open(path, "wb") as file:
        file.write(header)
        for part in parts:
            written += file.write(part)
    if written != product(shape):
        raise ValueError("%d values were given for %s, which has the shape %s" % (written, path, shape))


def product(shape):
    result = 1
    for size in shape:
        result *= size
    return result
