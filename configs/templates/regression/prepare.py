"""Makes the data: points with a value, which is a curve of x and y with noise.

With sources it would read them: data.source(name).
"""

from bench_tasks.prepare import Data

COLUMNS = ["id", "x", "y"]


def prepare(data: Data) -> None:
    rng = data.rng("points")
    train, test = (210, 90) if data.sample else (1400, 600)
    rows = [point(rng, value) for count in (train, test) for value in values(count)]
    train_rows, test_rows = rows[:train], rows[train:]
    for first, part in ((0, train_rows), (train, test_rows)):
        rng.shuffle(part)
        for number, row in enumerate(part):
            row["id"] = first + number
    data.agent_csv("data/train.csv", [*COLUMNS, "value"], train_rows)
    data.agent_csv("data/test.csv", COLUMNS, test_rows)
    data.hidden_csv("values.csv", ["id", "value"], test_rows)


def values(count):
    """Evenly from -1 to 1: their mean is 0 in both parts, so the starter's error is known."""
    return [round((2 * number + 1) / count - 1, 6) for number in range(count)]


def point(rng, value):
    x = round(rng.uniform(-1, 1), 4)
    return {"x": x, "y": round(value - x * x + rng.gauss(0, 0.05), 4), "value": value}
