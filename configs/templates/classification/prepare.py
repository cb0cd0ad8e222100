"""Makes the data: points of three classes, by their distance from the middle.

With sources it would read them: data.source(name).
"""

from bench_tasks.prepare import Data

COLUMNS = ["id", "x", "y"]
# The shares of the classes, the same in both parts, and the squares of the distances that bound them.
SHARES = (0.5, 0.3, 0.2)
BOUNDS = (0.0, 0.25, 0.6, 1.0)


def prepare(data: Data) -> None:
    rng = data.rng("points")
    count = 300 if data.sample else 2000
    labels = [label for label, share in enumerate(SHARES) for _ in range(round(share * count))]
    rng.shuffle(labels)
    rows = [
        {"id": number, "label": label, **point(rng, label)} for number, label in enumerate(labels)
    ]
    # Each class by itself, so that the test set has the same shares, whatever the draw.
    parts = [
        data.split([row for row in rows if row["label"] == label], (0.7, 0.3), str(label))
        for label in range(len(SHARES))
    ]
    train, test = [
        sorted((row for part in side for row in part), key=lambda row: row["id"])
        for side in zip(*parts)
    ]
    data.agent_csv("data/train.csv", [*COLUMNS, "label"], train)
    data.agent_csv("data/test.csv", COLUMNS, test)
    data.hidden_csv("labels.csv", ["id", "label"], test)


def point(rng, label):
    while True:
        x, y = round(rng.uniform(-1, 1), 4), round(rng.uniform(-1, 1), 4)
        if BOUNDS[label] <= x * x + y * y < BOUNDS[label + 1]:
            return {"x": x, "y": y}
