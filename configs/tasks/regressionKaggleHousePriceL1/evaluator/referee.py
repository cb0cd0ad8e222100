"""R² and root mean squared error of the submitted prices."""

from bench_tasks.files import Files, Integer, Number, Text

COLUMNS = {"Id": Integer(), "Sale_Price": Number()}


def evaluate(files: Files) -> dict[str, float]:
    truth = files.secret_csv("answers.csv", {**COLUMNS, "split": Text(20)})
    rows = files.csv("submission.csv", COLUMNS, ids=("Id", truth["Id"]))
    pairs = [
        (price, guess)
        for price, guess, split in zip(truth["Sale_Price"], rows["Sale_Price"], truth["split"])
        if split == files.split
    ]
    mean = sum(price for price, _ in pairs) / len(pairs)
    errors = sum((price - guess) ** 2 for price, guess in pairs)
    return {
        "r2": 1 - errors / sum((price - mean) ** 2 for price, _ in pairs),
        "rmse": (errors / len(pairs)) ** 0.5,
    }
