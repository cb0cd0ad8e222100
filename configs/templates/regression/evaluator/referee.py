"""Secret: compares the submission with the values that prepare.py laid beside this file."""

from bench_tasks.files import Files, Number, Text

COLUMNS = {"id": Text(), "value": Number()}


def evaluate(files: Files) -> dict[str, float]:
    truth = files.secret_csv("values.csv", COLUMNS)
    rows = files.csv("submission.csv", COLUMNS, ids=("id", truth["id"]))
    errors = [said - right for said, right in zip(rows["value"], truth["value"])]
    return {
        "rmse": (sum(error * error for error in errors) / len(errors)) ** 0.5,
        "mae": sum(abs(error) for error in errors) / len(errors),
    }
