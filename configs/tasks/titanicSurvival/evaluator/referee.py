"""The share of right predictions."""

from bench_tasks.files import Files, Integer, Text

COLUMNS = {"id": Integer(), "survived": Integer(0, 1)}


def evaluate(files: Files) -> dict[str, float]:
    truth = files.secret_csv("answers.csv", {**COLUMNS, "split": Text(20)})
    rows = files.csv("submission.csv", COLUMNS, ids=("id", truth["id"]))
    right = [
        answer == guess
        for answer, guess, split in zip(truth["survived"], rows["survived"], truth["split"])
        if split == files.split
    ]
    return {"accuracy": sum(right) / len(right)}
