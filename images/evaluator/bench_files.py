"""Reading submitted files as data: what a referee.py of kind `data` or `program` is written with.

    from bench_files import Integer, Text

    def evaluate(files):
        truth = files.secret_csv(files.split + ".csv", {"id": Text(), "label": Integer(0, 9)})
        rows = files.csv("submission.csv", {"id": Text(), "label": Integer(0, 9)}, ids=("id", truth["id"]))
        right = sum(a == b for a, b in zip(rows["label"], truth["label"]))
        return {"accuracy": right / len(truth["label"])}

What does not fit raises Rejected, with a message for the agent that names file, line and column. Nothing is unpickled or evaluated.
"""

import csv
import io
import math
import os
import re

import bench_json
from bench_referee import HiddenRandom

MEGABYTE = 1024 * 1024
SHOWN = 80
# The square of a larger number may be beyond all floats, and referees take squares.
LARGEST = 1e100
INTEGER = re.compile(r"[+-]?[0-9]{1,18}(\.0{0,6})?")
NUMBER = re.compile(r"[+-]?([0-9]{1,40}(\.[0-9]{0,40})?|\.[0-9]{1,40})([eE][+-]?[0-9]{1,4})?")


class Rejected(Exception):
    """The submission is at fault; the message is for the agent."""


class Integer:
    """Whole numbers from low to high. `3.0` counts as 3: some writers make floats of them."""

    def __init__(self, low=None, high=None):
        self.low, self.high = low, high

    def parse(self, text):
        if not INTEGER.fullmatch(text):
            raise ValueError("%s is not an integer" % shown(text))
        return within(int(text.split(".")[0]), self.low, self.high)


class Number:
    """Finite decimal numbers from low to high; without limits of their own up to 1e100."""

    def __init__(self, low=None, high=None):
        self.low, self.high = -LARGEST if low is None else low, LARGEST if high is None else high

    def parse(self, text):
        value = float(text) if NUMBER.fullmatch(text) else math.nan
        if not math.isfinite(value):
            raise ValueError("%s is not a finite number" % shown(text))
        return within(value, self.low, self.high)


class Text:
    """Any text up to a length, or one of `choices`."""

    def __init__(self, max_length=1000, choices=None):
        self.max_length, self.choices = max_length, None if choices is None else frozenset(choices)

    def parse(self, text):
        if self.choices is not None and text not in self.choices:
            raise ValueError("%s is not one of %s" % (shown(text), ", ".join(sorted(self.choices)[:20])))
        if len(text) > self.max_length:
            raise ValueError("the text has more than %d characters" % self.max_length)
        return text


def within(value, low, high):
    if low is not None and value < low or high is not None and value > high:
        ends = ("at least %s" % low) if high is None else ("at most %s" % high) if low is None else "%s to %s" % (low, high)
        raise ValueError("%s is out of range (%s)" % (value, ends))
    return value


def shown(value):
    text = repr(value)
    return text if len(text) <= SHOWN else text[:SHOWN] + "..."


class Files:
    """The submitted files, or a program's outputs, with the split that they are scored on.

    `split`: "validation" or "test". `rng`: this evaluation's hidden randomness. `inputs`: folder of what the program was given.
    """

    def __init__(self, order):
        self.split = order["split"]
        self.rng = HiddenRandom(order["seed"])
        self.folder = order["answers"]
        self.inputs = os.path.join(order["inputs"], self.split)

    def names(self, folder=""):
        """All files below the folder, sorted; paths as they were submitted."""
        found = []
        for place, _, names in os.walk(os.path.join(self.folder, folder)):
            found += [os.path.relpath(os.path.join(place, name), self.folder) for name in names]
        return sorted(found)

    def bytes(self, name, max_bytes=64 * MEGABYTE):
        path = os.path.join(self.folder, name)
        if not os.path.isfile(path):
            raise Rejected("%s is missing" % name)
        with open(path, "rb") as file:
            data = file.read(max_bytes + 1)
        if len(data) > max_bytes:
            raise Rejected("%s has more than %d bytes" % (name, max_bytes))
        return data

    def text(self, name, max_bytes=16 * MEGABYTE):
        return decoded(self.bytes(name, max_bytes), name)

    def json(self, name, max_bytes=16 * MEGABYTE):
        """Standard JSON: no NaN, no infinities, no key twice in an object."""

        try:
            return bench_json.parse(self.text(name, max_bytes))
        except ValueError as error:
            raise Rejected("%s is not valid JSON: %s" % (name, str(error)[:200])) from None

    def csv(self, name, columns, *, rows=None, ids=None, max_bytes=16 * MEGABYTE):
        """A table with a header of exactly these columns, in any order, as {column: [values]}.

        `columns`: {name: Integer, Number or Text}. `rows`: how many there must be. `ids`: (column, values): each of these
        values must occur exactly once; the result is in their order.
        """
        expected = len(ids[1]) if ids is not None else rows
        table = parse_csv(self.text(name, max_bytes), name, columns, expected)
        if expected is not None and len(table[next(iter(columns))]) < expected:
            raise Rejected("%s has %d rows below its header; expected %d" % (name, len(table[next(iter(columns))]), expected))
        return table if ids is None else aligned(table, name, *ids)

    def npy(self, name, **limits):
        """An array in NumPy's format, see bench_arrays.read_npy."""
        import bench_arrays

        return bench_arrays.read_npy(self.bytes(name, limits.pop("max_bytes", 64 * MEGABYTE)), name, **limits)

    def npz(self, name, **limits):
        """{array name: array} of a NumPy archive."""
        import bench_arrays

        return bench_arrays.read_npz(self.bytes(name, limits.pop("max_bytes", 64 * MEGABYTE)), name, **limits)

    def safetensors(self, name, **limits):
        """{tensor name: array} of a safetensors file."""
        import bench_arrays

        return bench_arrays.read_safetensors(self.bytes(name, limits.pop("max_bytes", 64 * MEGABYTE)), name, **limits)

    @staticmethod
    def secret_csv(path, columns):
        """A table beside referee.py. What is wrong with it is the evaluator's fault."""
        with open(path, encoding="utf-8", newline="") as file:
            text = file.read()
        try:
            return parse_csv(text, path, columns, None)
        except Rejected as error:
            raise ValueError(str(error)) from None


def decoded(data, name):
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Rejected("%s is not UTF-8 text: byte %d" % (name, error.start)) from None
    if "\0" in text:
        raise Rejected("%s is not a text file: it holds NUL" % name)
    return text


def parse_csv(text, name, columns, expected):
    """Row by row: reading ends at the first thing that is wrong, and at one row too many."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        header = [field.strip() for field in next(reader, [])]
        if sorted(header) != sorted(columns):
            found = ", ".join(header)
            raise Rejected(
                "%s: the header names the columns %s; expected exactly %s" % (name, shown(found), ", ".join(columns))
            )
        parsers = [columns[column] for column in header]
        table = [[] for _ in header]
        count = 0
        for row in reader:
            if not row:
                continue
            count += 1
            if expected is not None and count > expected:
                raise Rejected("%s has more than the expected %d rows below its header" % (name, expected))
            if len(row) != len(header):
                raise Rejected("%s, line %d: %d fields; expected %d" % (name, reader.line_num, len(row), len(header)))
            for column, parser, values, field in zip(header, parsers, table, row):
                try:
                    values.append(parser.parse(field.strip()))
                except ValueError as error:
                    raise Rejected("%s, line %d, column %s: %s" % (name, reader.line_num, column, error)) from None
    except csv.Error as error:
        raise Rejected("%s, line %d is not valid CSV: %s" % (name, reader.line_num, error)) from None
    return dict(zip(header, table))


def aligned(table, name, column, wanted):
    """The rows in the order of the wanted ids, each of which must be there once."""
    place = {}
    for index, value in enumerate(table[column]):
        if value in place:
            raise Rejected("%s: %s %s occurs twice" % (name, column, shown(value)))
        place[value] = index
    for value in wanted:
        if value not in place:
            raise Rejected("%s: there is no row with %s %s" % (name, column, shown(value)))
    order = [place[value] for value in wanted]
    return {key: [values[index] for index in order] for key, values in table.items()}
