"""The commonest class for every point. Change it, run it, then `validate`."""

import csv
from collections import Counter


def read(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


common = Counter(row["label"] for row in read("data/train.csv")).most_common(1)[0][0]
with open("submission.csv", "w", newline="") as file:
    writer = csv.writer(file)
    writer.writerow(["id", "label"])
    writer.writerows([row["id"], common] for row in read("data/test.csv"))
