"""Secret: compares the submission with the classes that prepare.py laid beside this file."""

from bench_tasks.files import Files, Integer, Text

CLASSES = range(3)
COLUMNS = {"id": Text(), "label": Integer(0, 2)}


def evaluate(files: Files) -> dict[str, float]:
    truth = files.secret_csv("labels.csv", COLUMNS)
    rows = files.csv("submission.csv", COLUMNS, ids=("id", truth["id"]))
    pairs = list(zip(rows["label"], truth["label"]))
    return {
        "macro_f1": sum(f1(pairs, label) for label in CLASSES) / len(CLASSES),
        "accuracy": sum(said == right for said, right in pairs) / len(pairs),
    }


def f1(pairs: list[tuple[int, int]], label: int) -> float:
    both = sum(said == label == right for said, right in pairs)
    either = sum((said == label) + (right == label) for said, right in pairs)
    return 2 * both / either if either else 0.0
