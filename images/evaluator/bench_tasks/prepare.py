"""What a task's prepare.py is written with.

    from bench_tasks.prepare import Data

    def prepare(data: Data) -> None:
        rows = made_up(data.rng("rows")) if data.sample else read(data.source("rows.csv"))
        train, test = data.split(rows, (0.8, 0.2))
        data.agent_csv("data/train.csv", ["id", "x", "label"], train)
        data.agent_csv("data/test.csv", ["id", "x"], test)
        data.hidden_csv("labels.csv", ["id", "label"], test)

Rows are dictionaries. The same sources and the same prepare.py give the same bytes on every
machine: all chance comes from `rng`.
"""

from __future__ import annotations

import csv
import os
import random
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from .order import PrepareOrder


Item = TypeVar("Item")
Row = Mapping[str, Any]


class Data:
    """The task's sources, and the places of what is made of them."""

    #: The task's id.
    task: str
    #: Make a small stand-in of the same form instead of reading the sources, which are not there.
    sample: bool

    def __init__(self, order: PrepareOrder) -> None:
        self.task, self.sample = order["task"], order["sample"]
        self._sources = order["sources"]
        self._agent, self._hidden = order["agent"], order["hidden"]

    def source(self, name: str) -> str:
        """Path of a downloaded source, checked against its checksum.

        Raises RuntimeError while a sample is made, KeyError for one that task.yaml does not name.
        """
        if self.sample:
            raise RuntimeError(f"a sample must do without sources: {name} was asked for")
        if name not in self._sources:
            raise KeyError(f"task.yaml declares no source {name}")
        return self._sources[name]

    def rng(self, purpose: str) -> random.Random:
        """Randomness that depends on the task and the purpose alone."""
        return random.Random(f"{self.task}/{purpose}")

    def split(
        self, rows: Iterable[Item], shares: Sequence[float], purpose: str = "split"
    ) -> list[list[Item]]:
        """The rows, shuffled, in parts of these shares.

        Raises ValueError unless the shares add up to 1.
        """
        if abs(sum(shares) - 1) > 1e-9:
            raise ValueError(f"the shares {shares} do not add up to 1")
        shuffled = list(rows)
        self.rng(purpose).shuffle(shuffled)
        ends = [round(len(shuffled) * sum(shares[: index + 1])) for index in range(len(shares))]
        return [shuffled[start:end] for start, end in zip([0, *ends], ends)]

    def agent_path(self, path: str) -> str:
        """Where to write a file of the agent's workspace; folders are made.

        Raises ValueError for a path that leads out of it.
        """
        return self._place(self._agent, path)

    def hidden_path(self, path: str) -> str:
        """Where to write a file that only the evaluator sees, relative to evaluator/.

        Folders are made. Raises ValueError for a path that leads out of it.
        """
        return self._place(self._hidden, path)

    def agent_csv(self, path: str, columns: Sequence[str], rows: Iterable[Row]) -> None:
        """Write a table into the agent's workspace; see `write_csv`."""
        write_csv(self.agent_path(path), columns, rows)

    def hidden_csv(self, path: str, columns: Sequence[str], rows: Iterable[Row]) -> None:
        """Write a table that only the evaluator sees; see `write_csv`."""
        write_csv(self.hidden_path(path), columns, rows)

    @staticmethod
    def _place(root: str, path: str) -> str:
        target = os.path.normpath(os.path.join(root, path))
        if not target.startswith(root + os.sep):
            raise ValueError(f"{path!r} leads out of the folder")
        os.makedirs(os.path.dirname(target), exist_ok=True)
        return target


def write_csv(path: str, columns: Sequence[str], rows: Iterable[Row]) -> None:
    """These columns of the rows, below a header.

    Missing values (None) are written as empty fields, whole floats without a point. Raises KeyError
    for a row without one of the columns.
    """
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([_field(row[column]) for column in columns] for row in rows)


def _field(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    return str(value)
