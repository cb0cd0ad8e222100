"""The mean value of the five nearest points that have one."""

import csv
import heapq


def read(path):
    with open(path, newline="") as file:
        return [(row, float(row["x"]), float(row["y"])) for row in csv.DictReader(file)]


train = read("data/train.csv")
with open("submission.csv", "w", newline="") as file:
    writer = csv.writer(file)
    writer.writerow(["id", "value"])
    for row, x, y in read("data/test.csv"):
        nearest = heapq.nsmallest(
            5, train, key=lambda other: (other[1] - x) ** 2 + (other[2] - y) ** 2
        )
        writer.writerow([row["id"], sum(float(other[0]["value"]) for other in nearest) / 5])
