"""Secret: compares what the program wrote with the answers."""

from bench_tasks.files import Files, Number, Text


def evaluate(files: Files) -> dict[str, float]:
    truth = files.secret_csv("answers.csv", {"id": Text(), "y": Number()})
    rows = files.csv(
        "predictions.csv", {"id": Text(), "y": Number(-1e6, 1e6)}, ids=("id", truth["id"])
    )
    errors = [(a - b) ** 2 for a, b in zip(rows["y"], truth["y"])]
    return {"mse": sum(errors) / len(errors)}
