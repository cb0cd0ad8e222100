"""Do files that agents see hold what only the evaluator may know?

Compares files, lines, and columns of tables.
"""

from __future__ import annotations

import csv
import hashlib
import io
import os
from collections.abc import Iterable, Iterator, Sequence

# Of the hidden lines, or labels, in one file of the agent: labels that are guessed well are fewer.
SHARE = 0.9
# Fewer say nothing: a file of two labels is found in many a table.
FEWEST = 5
LARGEST_TEXT = 64 * 1024 * 1024
# The evaluator's files that the player's programs are given.
PLAYERS = ("inputs", "player")


def leaks(agent_folders: Iterable[str], hidden_folders: Iterable[str]) -> list[str]:
    """Sentences, each naming both files. `hidden_folders` are laid out like a task's evaluator/."""
    shown = [file for folder in agent_folders for file in files_of(folder, ())]
    found = []
    for name, path in (file for folder in hidden_folders for file in files_of(folder, PLAYERS)):
        secret = Content(path)
        if secret.size == 0:
            continue
        for shown_name, shown_path in shown:
            why = secret.found_in(Content(shown_path))
            if why:
                found.append(
                    f"{shown_name}, which agents see, holds {why} of {name}, which they must not see"
                )
    return found


def files_of(folder: str, without: Sequence[str]) -> list[tuple[str, str]]:
    """(path in the folder, path) of each file; `without`: folders at its top to leave out."""
    found: list[tuple[str, str]] = []
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(
            each
            for each in folders
            if each != "__pycache__" and not (place == folder and each in without)
        )
        found += [
            (os.path.relpath(os.path.join(place, name), folder), os.path.join(place, name))
            for name in sorted(names)
        ]
    return found


class Content:
    """A file, compared as a whole, by lines, and by the columns of a table."""

    def __init__(self, path: str) -> None:
        self.path, self.size = path, os.path.getsize(path)
        self._text: str | None = None
        self._table: dict[str, list[str]] | None = None

    def found_in(self, other: Content) -> str:
        """What of this file the other one holds; empty: nothing."""
        if self.size == other.size and self.digest() == other.digest():
            return "all"
        lines, shown = self.lines(), other.lines()
        if len(lines) >= FEWEST and len(lines & shown) >= SHARE * len(lines):
            return "the lines"
        for column in self.labels_in(other):
            return f"the column {column}"
        return ""

    def digest(self) -> bytes:
        digest = hashlib.sha256()
        with open(self.path, "rb") as file:
            for block in iter(lambda: file.read(1 << 20), b""):
                digest.update(block)
        return digest.digest()

    def text(self) -> str:
        if self._text is None:
            self._text = ""
            if self.size <= LARGEST_TEXT:
                with open(self.path, "rb") as file:
                    data = file.read()
                if b"\0" not in data:
                    self._text = data.decode("utf-8", "replace")
        return self._text

    def lines(self) -> set[str]:
        """Without the first one, which may be a header."""
        return {line.strip() for line in self.text().splitlines()[1:] if len(line.strip()) > 2}

    def table(self) -> dict[str, list[str]]:
        """{column: values} of a CSV file with a header; empty: it is none."""
        if self._table is None:
            self._table = {}
            if self.path.endswith(".csv") and self.text():
                rows = [row for row in csv.reader(io.StringIO(self.text())) if row]
                if all(len(row) == len(rows[0]) for row in rows):
                    self._table = {
                        name: [row[index] for row in rows[1:]] for index, name in enumerate(rows[0])
                    }
        return self._table

    def labels_in(self, other: Content) -> Iterator[str]:
        """Columns beside the first one, the id, that the other table has for the same ids."""
        mine, theirs = self.table(), other.table()
        if len(mine) < 2 or len(theirs) < 2:
            return
        key = next(iter(mine))
        if key not in theirs or len(mine[key]) < FEWEST:
            return
        places = {value: index for index, value in enumerate(theirs[key])}
        for column in list(mine)[1:]:
            if column not in theirs:
                continue
            same = sum(
                value in places and theirs[column][places[value]] == label
                for value, label in zip(mine[key], mine[column])
            )
            if same >= SHARE * len(mine[key]):
                yield column
