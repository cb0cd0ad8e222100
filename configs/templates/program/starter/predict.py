"""Predicts the mean of the known points. Run as `python predict.py <inputs> <outputs>`."""

import csv
import os
import sys

MEAN = 3.5

inputs, outputs = sys.argv[1:]
with open(os.path.join(inputs, "points.csv"), newline="") as file:
    points = list(csv.DictReader(file))
with open(os.path.join(outputs, "predictions.csv"), "w", newline="") as file:
    writer = csv.writer(file)
    writer.writerow(["id", "y"])
    writer.writerows([point["id"], MEAN] for point in points)
