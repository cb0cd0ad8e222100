"""Reading R's data files: data frames out of a package's lazy-load database, as {column: list of values}.

Only what data frames are made of: numbers, texts, factors, logicals. Missing values are None.
"""

import bz2
import lzma
import struct
import zlib

MISSING_INT = -0x80000000
# R's NA among doubles: a NaN with this low word.
MISSING_LOW = 1954


def read_package_data(rdx, rdb, name):
    """The data frame `name` of a package's data/Rdata.rdx and data/Rdata.rdb (both as bytes)."""
    index = Reader(decompress(rdx)).read()
    variables = named(index)["variables"]
    places = named(variables)
    if name not in places:
        raise KeyError("there is no %s among %s" % (name, ", ".join(sorted(places))))
    offset, length = places[name].values
    return data_frame(Reader(segment(rdb[offset : offset + length])).read())


def data_frame(value):
    return {column: plain(vector) for column, vector in named(value).items()}


class Vector:
    def __init__(self, values):
        self.values, self.attributes = values, {}


def named(vector):
    return dict(zip(vector.attributes["names"].values, vector.values))


def plain(vector):
    """A column's values; a factor's are its levels."""
    if "levels" not in vector.attributes:
        return vector.values
    levels = vector.attributes["levels"].values
    return [None if value is None else levels[value - 1] for value in vector.values]


def decompress(data):
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


def segment(data):
    """One value of a lazy-load database: its length, then bytes in one of R's three compressions."""
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
        raise ValueError("a value of %d bytes has %d" % (length, len(value)))
    return value


class Reader:
    """R's serialization in its portable form (XDR), versions 2 and 3."""

    def __init__(self, data):
        self.data, self.at, self.references = data, 0, []
        if self.take(2) != b"X\n":
            raise ValueError("not in R's portable serialization")
        version = self.int()
        self.at += 8
        if version == 3:
            self.take(self.int())
        elif version != 2:
            raise ValueError("serialization version %d" % version)

    def take(self, count):
        piece = self.data[self.at : self.at + count]
        if len(piece) != count:
            raise ValueError("the data end too early")
        self.at += count
        return piece

    def int(self):
        return struct.unpack(">i", self.take(4))[0]

    def ints(self, count):
        return struct.unpack(">%di" % count, self.take(4 * count))

    def read(self):
        flags = self.int()
        kind, has_attributes, has_tag = flags & 0xFF, flags & 0x200, flags & 0x400
        if kind in (254, 253, 252, 251, 250, 242, 241):  # NULL and the well-known environments
            return None
        if kind == 255:
            return self.references[(flags >> 8 or self.int()) - 1]
        if kind == 1:
            symbol = self.read()
            self.references.append(symbol)
            return symbol
        if kind == 247:  # an environment kept elsewhere in the database
            self.int()
            name = [self.read() for _ in range(self.int())]
            self.references.append(name)
            return name
        if kind == 2:
            return self.pairs(has_attributes, has_tag)
        if kind == 9:
            length = self.int()
            return None if length == -1 else self.take(length).decode("utf-8", "replace")
        if kind == 238:
            return self.compact()
        value = Vector(self.values(kind))
        if has_attributes:
            value.attributes = self.read()
        return value

    def values(self, kind):
        count = self.int()
        if kind in (10, 13):
            return [None if value == MISSING_INT else value for value in self.ints(count)]
        if kind == 14:
            raw = self.take(8 * count)
            numbers = struct.unpack(">%dd" % count, raw)
            lows = struct.unpack(">%dI" % (2 * count), raw)[1::2]
            return [None if number != number and low == MISSING_LOW else number for number, low in zip(numbers, lows)]
        if kind in (16, 19):
            return [self.read() for _ in range(count)]
        raise ValueError("a value of R's type %d" % kind)

    def pairs(self, has_attributes, has_tag):
        found = {}
        while True:
            if has_attributes:
                self.read()
            tag = self.read() if has_tag else None
            found[tag] = self.read()
            flags = self.int()
            if flags & 0xFF == 254:
                return found
            if flags & 0xFF != 2:
                raise ValueError("a pair list that ends in R's type %d" % (flags & 0xFF))
            has_attributes, has_tag = flags & 0x200, flags & 0x400

    def compact(self):
        """R's short forms: sequences, and vectors wrapped with a note that they are sorted."""
        info, state = self.read(), self.read()
        self.read()
        name = next(iter(info.values())) if isinstance(info, dict) else info
        if name == "compact_intseq":
            count, first, step = (int(value) for value in state.values)
            return Vector([first + step * index for index in range(count)])
        if isinstance(state, dict):
            return next(iter(state.values()))
        if isinstance(state, Vector) and isinstance(state.values[0], Vector):
            return state.values[0]
        raise ValueError("R's short form %r" % (name,))
