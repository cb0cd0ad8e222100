"""The mean of all values for every point. Change it, run it, then `validate`."""

import csv


def read(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


values = [float(row["value"]) for row in read("data/train.csv")]
mean = round(sum(values) / len(values), 6)
with open("submission.csv", "w", newline="") as file:
    writer = csv.writer(file)
    writer.writerow(["id", "value"])
    writer.writerows([row["id"], mean] for row in read("data/test.csv"))
