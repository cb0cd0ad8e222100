"""Secret: compares the submission with the labels that prepare.py laid beside this file."""

from bench_files import Integer, Text

COLUMNS = {"id": Text(), "label": Integer(0, 1)}


def evaluate(files):
    truth = files.secret_csv("labels.csv", COLUMNS)
    rows = files.csv("submission.csv", COLUMNS, ids=("id", truth["id"]))
    right = sum(a == b for a, b in zip(rows["label"], truth["label"]))
    return {"accuracy": right / len(truth["label"])}
