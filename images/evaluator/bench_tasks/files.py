"""Reading submitted files as data: what a referee.py of kind `data` or `program` is written with.

    from bench_tasks.files import Files, Integer, Text

    COLUMNS = {"id": Text(), "label": Integer(0, 9)}

    def evaluate(files: Files) -> dict[str, float]:
        truth = files.secret_csv(files.split + ".csv", COLUMNS)
        rows = files.csv("submission.csv", COLUMNS, ids=("id", truth["id"]))
        right = sum(a == b for a, b in zip(rows["label"], truth["label"]))
        return {"accuracy": right / len(truth["label"])}

What does not fit raises Rejected, with a message for the agent that names file, line and column.
Nothing is unpickled or evaluated.
"""

from __future__ import annotations

import builtins
import csv
import io
import math
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import strict_json
from .hidden_random import HiddenRandom
from .rejected import Rejected, shown

if TYPE_CHECKING:
    from .arrays import Array
    from .order import RefereeOrder

MEGABYTE = 1024 * 1024
# The square of a larger number may be beyond all floats, and referees take squares.
LARGEST = 1e100
_INTEGER = re.compile(r"[+-]?[0-9]{1,18}(\.0{0,6})?")
_NUMBER = re.compile(r"[+-]?([0-9]{1,40}(\.[0-9]{0,40})?|\.[0-9]{1,40})([eE][+-]?[0-9]{1,4})?")


class Column:
    """What the fields of a column are: `Integer`, `Number`, `Text`, or a class of the task's."""

    def parse(self, text: str) -> Any:
        """The value of a field. Raises ValueError, with a message for the agent."""
        raise NotImplementedError


class Integer(Column):
    """Whole numbers from low to high. `3.0` counts as 3: some writers make floats of them."""

    def __init__(self, low: int | None = None, high: int | None = None) -> None:
        self.low, self.high = low, high

    def parse(self, text: str) -> int:
        """The number. Raises ValueError."""
        if not _INTEGER.fullmatch(text):
            raise ValueError(f"{shown(text)} is not an integer")
        value = int(text.split(".")[0])
        _check_range(value, self.low, self.high)
        return value


class Number(Column):
    """Finite decimal numbers from low to high; without limits of their own up to 1e100."""

    def __init__(self, low: float | None = None, high: float | None = None) -> None:
        self.low = -LARGEST if low is None else low
        self.high = LARGEST if high is None else high

    def parse(self, text: str) -> float:
        """The number. Raises ValueError."""
        value = float(text) if _NUMBER.fullmatch(text) else math.nan
        if not math.isfinite(value):
            raise ValueError(f"{shown(text)} is not a finite number")
        _check_range(value, self.low, self.high)
        return value


class Text(Column):
    """Any text of up to `max_length` characters, or one of `choices`."""

    def __init__(self, max_length: int = 1000, choices: Iterable[str] | None = None) -> None:
        self.max_length = max_length
        self.choices = None if choices is None else frozenset(choices)

    def parse(self, text: str) -> str:
        """The text as it is. Raises ValueError."""
        if self.choices is not None and text not in self.choices:
            known = ", ".join(sorted(self.choices)[:20])
            raise ValueError(f"{shown(text)} is not one of {known}")
        if len(text) > self.max_length:
            raise ValueError(f"the text has more than {self.max_length} characters")
        return text


def _check_range(value: float, low: float | None, high: float | None) -> None:
    if (low is None or value >= low) and (high is None or value <= high):
        return
    if high is None:
        ends = f"at least {low}"
    elif low is None:
        ends = f"at most {high}"
    else:
        ends = f"{low} to {high}"
    raise ValueError(f"{value} is out of range ({ends})")


class Files:
    """The submitted files, or a program's outputs, with the split that they are scored on.

    All names are relative paths, as they were submitted. A file that is missing, larger than
    `max_bytes`, or not what it should be raises Rejected.
    """

    #: "validation" or "test".
    split: str
    #: This evaluation's hidden randomness.
    rng: HiddenRandom
    #: Folder of what is judged.
    folder: str
    #: Folder of what the program was given for this split.
    inputs: str

    def __init__(self, order: RefereeOrder) -> None:
        self.split = order["split"]
        self.rng = HiddenRandom(order["seed"])
        self.folder = order["answers"]
        self.inputs = os.path.join(order["inputs"], self.split)

    def names(self, folder: str = "") -> list[str]:
        """All files below the folder, sorted."""
        found = []
        for place, _, names in os.walk(os.path.join(self.folder, folder)):
            found += [os.path.relpath(os.path.join(place, name), self.folder) for name in names]
        return sorted(found)

    def bytes(self, name: str, max_bytes: int = 64 * MEGABYTE) -> builtins.bytes:
        """The file's content."""
        path = os.path.join(self.folder, name)
        if not os.path.isfile(path):
            raise Rejected(f"{name} is missing")
        with open(path, "rb") as file:
            data = file.read(max_bytes + 1)
        if len(data) > max_bytes:
            raise Rejected(f"{name} has more than {max_bytes} bytes")
        return data

    def text(self, name: str, max_bytes: int = 16 * MEGABYTE) -> str:
        """UTF-8 text, without a byte order mark."""
        return _decoded(self.bytes(name, max_bytes), name)

    def json(self, name: str, max_bytes: int = 16 * MEGABYTE) -> Any:
        """Standard JSON: no NaN, no infinities, no key twice in an object."""
        try:
            return strict_json.parse(self.text(name, max_bytes))
        except ValueError as error:
            raise Rejected(f"{name} is not valid JSON: {str(error)[:200]}") from None

    def csv(
        self,
        name: str,
        columns: Mapping[str, Column],
        *,
        rows: int | None = None,
        ids: tuple[str, Sequence[Any]] | None = None,
        max_bytes: int = 16 * MEGABYTE,
    ) -> dict[str, list[Any]]:
        """A table with a header of exactly these columns, in any order, as {column: [values]}.

        `columns`: {name: Integer, Number or Text}. `rows`: how many there must be.
        `ids`: (column, values): each of these values must occur exactly once; the result is in
        their order.
        """
        expected = len(ids[1]) if ids is not None else rows
        table = _parse_csv(self.text(name, max_bytes), name, columns, expected)
        found = len(table[next(iter(columns))])
        if expected is not None and found < expected:
            raise Rejected(f"{name} has {found} rows below its header; expected {expected}")
        return table if ids is None else _aligned(table, name, *ids)

    def npy(
        self,
        name: str,
        *,
        shape: Sequence[int | None] | None = None,
        dtype: str | Sequence[str] | None = None,
        finite: bool = True,
        max_bytes: int = 64 * MEGABYTE,
    ) -> Array:
        """An array in NumPy's format; see `arrays.read_npy`."""
        from . import arrays

        data = self.bytes(name, max_bytes)
        return arrays.read_npy(data, name, shape=shape, dtype=dtype, finite=finite)

    def npz(
        self,
        name: str,
        *,
        max_arrays: int = 1000,
        max_unpacked: int = 256 * MEGABYTE,
        finite: bool = True,
        max_bytes: int = 64 * MEGABYTE,
    ) -> dict[str, Array]:
        """{array name: array} of a NumPy archive; see `arrays.read_npz`."""
        from . import arrays

        return arrays.read_npz(
            self.bytes(name, max_bytes),
            name,
            max_arrays=max_arrays,
            max_unpacked=max_unpacked,
            finite=finite,
        )

    def safetensors(
        self,
        name: str,
        *,
        max_tensors: int = 10_000,
        finite: bool = True,
        max_bytes: int = 64 * MEGABYTE,
    ) -> dict[str, Array]:
        """{tensor name: array} of a safetensors file; see `arrays.read_safetensors`."""
        from . import arrays

        data = self.bytes(name, max_bytes)
        return arrays.read_safetensors(data, name, max_tensors=max_tensors, finite=finite)

    @staticmethod
    def secret_csv(path: str, columns: Mapping[str, Column]) -> dict[str, list[Any]]:
        """A table beside referee.py. Raises ValueError: what is wrong is the task's own fault."""
        with open(path, encoding="utf-8", newline="") as file:
            text = file.read()
        try:
            return _parse_csv(text, path, columns, None)
        except Rejected as error:
            raise ValueError(str(error)) from None


def _decoded(data: bytes, name: str) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Rejected(f"{name} is not UTF-8 text: byte {error.start}") from None
    if "\0" in text:
        raise Rejected(f"{name} is not a text file: it holds NUL")
    return text


def _parse_csv(
    text: str, name: str, columns: Mapping[str, Column], expected: int | None
) -> dict[str, list[Any]]:
    """Row by row: reading ends at the first thing that is wrong, and at one row too many."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        header = [field.strip() for field in next(reader, [])]
        if sorted(header) != sorted(columns):
            found, wanted = shown(", ".join(header)), ", ".join(columns)
            raise Rejected(
                f"{name}: the header names the columns {found}; expected exactly {wanted}"
            )
        parsers = [columns[column] for column in header]
        table: list[list[Any]] = [[] for _ in header]
        count = 0
        for row in reader:
            if not row:
                continue
            count += 1
            if expected is not None and count > expected:
                raise Rejected(
                    f"{name} has more than the expected {expected} rows below its header"
                )
            if len(row) != len(header):
                fields = f"{len(row)} fields; expected {len(header)}"
                raise Rejected(f"{name}, line {reader.line_num}: {fields}")
            for column, parser, values, field in zip(header, parsers, table, row):
                try:
                    values.append(parser.parse(field.strip()))
                except ValueError as error:
                    place = f"{name}, line {reader.line_num}, column {column}"
                    raise Rejected(f"{place}: {error}") from None
    except csv.Error as error:
        raise Rejected(f"{name}, line {reader.line_num} is not valid CSV: {error}") from None
    return dict(zip(header, table))


def _aligned(
    table: dict[str, list[Any]], name: str, column: str, wanted: Sequence[Any]
) -> dict[str, list[Any]]:
    """The rows in the order of the wanted ids, each of which must be there once."""
    place: dict[Any, int] = {}
    for index, value in enumerate(table[column]):
        if value in place:
            raise Rejected(f"{name}: {column} {shown(value)} occurs twice")
        place[value] = index
    for value in wanted:
        if value not in place:
            raise Rejected(f"{name}: there is no row with {column} {shown(value)}")
    order = [place[value] for value in wanted]
    return {key: [values[index] for index in order] for key, values in table.items()}
