"""What most passengers of the same class met with in train.csv. Writes submission.csv."""

import csv
from collections import Counter


def read(name):
    with open("data/%s.csv" % name, newline="") as file:
        return list(csv.DictReader(file))


train, test = read("train"), read("test")
outcomes = {}
for row in train:
    outcomes.setdefault(row["passengerClass"], Counter())[row["survived"]] += 1
usual = {name: counts.most_common(1)[0][0] for name, counts in outcomes.items()}
right = sum(usual[row["passengerClass"]] == row["survived"] for row in train)
print("train: accuracy %.4f" % (right / len(train)))

with open("submission.csv", "w", newline="") as file:
    writer = csv.writer(file)
    writer.writerow(["id", "survived"])
    writer.writerows((row["id"], usual[row["passengerClass"]]) for row in test)
