"""Makes the data: points, and whether they lie above a curve.

With sources it would read them: data.source(name).
"""

from bench_tasks.prepare import Data

COLUMNS = ["id", "x", "y"]


def prepare(data: Data) -> None:
    rng = data.rng("points")
    count = 300 if data.sample else 2000
    labels = [int(number < 0.6 * count) for number in range(count)]
    rng.shuffle(labels)
    rows = [
        {"id": number, "label": label, **point(rng, label)} for number, label in enumerate(labels)
    ]
    # Each label by itself, so that the test set has the same share of both, whatever the draw.
    parts = [
        data.split([row for row in rows if row["label"] == label], (0.7, 0.3), str(label))
        for label in (0, 1)
    ]
    train, test = [sorted(zeros + ones, key=lambda row: row["id"]) for zeros, ones in zip(*parts)]
    data.agent_csv("data/train.csv", [*COLUMNS, "label"], train)
    data.agent_csv("data/test.csv", COLUMNS, test)
    data.hidden_csv("labels.csv", ["id", "label"], test)


def point(rng, label):
    while True:
        x, y = round(rng.uniform(-1, 1), 4), round(rng.uniform(-1, 1), 4)
        if int(y > x * x - 0.5) == label:
            return {"x": x, "y": y}
