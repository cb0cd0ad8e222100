"""Pairs of sentences out of MultiNLI's archive; for a sample, pairs made of templates (pairs.py)."""

import io
import json
import zipfile

from bench_tasks.prepare import Data
from pairs import made_pairs

LABELS = {"entailment": 0, "neutral": 1, "contradiction": 2}
FOLDER = "multinli_1.0/multinli_1.0_"
# As many as there are in the test set.
VALIDATION = 9815
COLUMNS = ["id", "genre", "premise", "hypothesis"]


def prepare(data: Data) -> None:
    if data.sample:
        rng = data.rng("pairs")
        train, validation, test = (made_pairs(rng, groups) for groups in (2000, 400, 400))
    else:
        archive = data.source("multinli_1.0.zip")
        validation, train = cut(read(archive, "train.jsonl"), VALIDATION, data.rng("validation"))
        test = read(archive, "dev_matched.jsonl")
    asked = [dict(row, split="validation") for row in validation] + [
        dict(row, split="test") for row in test
    ]
    # Their order and their numbers must not tell which ones count for what.
    data.rng("order").shuffle(asked)
    data.rng("train order").shuffle(train)
    for letter, rows in (("t", train), ("p", asked)):
        for number, row in enumerate(rows):
            row["id"] = f"{letter}{number:06d}"
    data.agent_csv("data/train.csv", [*COLUMNS, "label"], train)
    data.agent_csv("data/pairs.csv", COLUMNS, asked)
    data.hidden_csv("labels.csv", ["id", "label", "split"], asked)


def read(archive, name):
    """Pairs whose annotators agreed on a label."""
    rows = []
    with zipfile.ZipFile(archive) as files, files.open(FOLDER + name) as file:
        for line in io.TextIOWrapper(file, encoding="utf-8"):
            pair = json.loads(line)
            if pair["gold_label"] in LABELS:
                rows.append(
                    {
                        "group": pair["promptID"],
                        "genre": pair["genre"],
                        "premise": one_line(pair["sentence1"]),
                        "hypothesis": one_line(pair["sentence2"]),
                        "label": LABELS[pair["gold_label"]],
                    }
                )
    return rows


def one_line(text):
    return " ".join(text.split())


def cut(rows, count, rng):
    """At least `count` rows, and the others.

    Pairs with one premise stay together: two labels would tell the third.
    """
    groups = sorted({row["group"] for row in rows})
    rng.shuffle(groups)
    sizes: dict[str, int] = {}
    for row in rows:
        sizes[row["group"]] = sizes.get(row["group"], 0) + 1
    taken, number = set(), 0
    for group in groups:
        if number >= count:
            break
        taken.add(group)
        number += sizes[group]
    return [row for row in rows if row["group"] in taken], [
        row for row in rows if row["group"] not in taken
    ]
