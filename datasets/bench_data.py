"""What a task's prepare.py is written with.

    def prepare(data):
        rows = made_up(data.rng("rows")) if data.sample else read(data.source("rows.csv"))
        train, test = data.split(rows, (0.8, 0.2))
        data.agent_csv("data/train.csv", ["id", "x", "label"], train)
        data.agent_csv("data/test.csv", ["id", "x"], test)
        data.hidden_csv("labels.csv", ["id", "label"], test)

Rows are dictionaries. The same sources and the same prepare.py give the same bytes on every machine: all chance comes from `rng`.
"""

import csv
import os
import random


class Data:
    """`sample`: make a small stand-in of the same form instead of reading the sources, which are not there then."""

    def __init__(self, order):
        self.task, self.sample = order["task"], order["sample"]
        self._sources, self._agent, self._hidden = order["sources"], order["agent"], order["hidden"]

    def source(self, name):
        """Path of a downloaded source, checked against its checksum."""
        if self.sample:
            raise RuntimeError("a sample must do without sources: %s was asked for" % name)
        if name not in self._sources:
            raise KeyError("task.yaml declares no source %s" % name)
        return self._sources[name]

    def rng(self, purpose):
        """Randomness that depends on the task and the purpose alone."""
        return random.Random("%s/%s" % (self.task, purpose))

    def split(self, rows, shares, purpose="split"):
        """The rows, shuffled, in parts of these shares (which add up to 1)."""
        if abs(sum(shares) - 1) > 1e-9:
            raise ValueError("the shares %s do not add up to 1" % (shares,))
        shuffled = list(rows)
        self.rng(purpose).shuffle(shuffled)
        ends = [round(len(shuffled) * sum(shares[: index + 1])) for index in range(len(shares))]
        return [shuffled[start:end] for start, end in zip([0, *ends], ends)]

    def agent_path(self, path):
        """Where to write a file of the agent's workspace; folders are made."""
        return self._place(self._agent, path)

    def hidden_path(self, path):
        """Where to write a file that only the evaluator sees, relative to evaluator/; folders are made."""
        return self._place(self._hidden, path)

    def agent_csv(self, path, columns, rows):
        write_csv(self.agent_path(path), columns, rows)

    def hidden_csv(self, path, columns, rows):
        write_csv(self.hidden_path(path), columns, rows)

    @staticmethod
    def _place(root, path):
        target = os.path.normpath(os.path.join(root, path))
        if not target.startswith(root + os.sep):
            raise ValueError("%r leads out of the folder" % path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        return target


def write_csv(path, columns, rows):
    """Missing values (None) are written as empty fields, whole floats without a point."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([field(row[column]) for column in columns] for row in rows)


def field(value):
    if value is None:
        return ""
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    return str(value)
