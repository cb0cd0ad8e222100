"""The share of images with the right label."""

from bench_tasks.files import Files, Integer, Text

COLUMNS = {"id": Integer(), "label": Integer(0, 9)}


def evaluate(files: Files) -> dict[str, float]:
    truth = files.secret_csv("labels.csv", {**COLUMNS, "split": Text(20)})
    rows = files.csv("submission.csv", COLUMNS, ids=("id", truth["id"]))
    right = [
        label == guess
        for label, guess, split in zip(truth["label"], rows["label"], truth["split"])
        if split == files.split
    ]
    return {"accuracy": sum(right) / len(right)}
