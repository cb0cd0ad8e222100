"""Multinomial logistic regression on pixels, one pass of stochastic gradient descent. Writes submission.csv."""

import csv

import numpy as np


def read(name):
    """An IDX file of unsigned bytes."""
    data = np.fromfile("data/" + name, dtype=np.uint8)
    sizes = data[4 : 4 + 4 * data[3]].view(">u4")
    return data[4 + 4 * data[3] :].reshape(sizes)


def scores(images):
    return images.reshape(len(images), -1).astype(np.float32) / 255 @ weights + offsets


images, labels = read("train-images-idx3-ubyte"), read("train-labels-idx1-ubyte").astype(int)
rng = np.random.default_rng(42)
weights = np.zeros((images[0].size, labels.max() + 1), dtype=np.float32)
offsets = np.zeros(labels.max() + 1, dtype=np.float32)
order = rng.permutation(len(images))
held_out, order = order[: len(images) // 10], order[len(images) // 10 :]
for start in range(0, len(order), 32):
    batch = order[start : start + 32]
    logits = scores(images[batch])
    chances = np.exp(logits - logits.max(axis=1, keepdims=True))
    chances /= chances.sum(axis=1, keepdims=True)
    chances[np.arange(len(batch)), labels[batch]] -= 1
    weights -= 0.02 / len(batch) * images[batch].reshape(len(batch), -1).astype(np.float32).T @ chances / 255
    offsets -= 0.02 * chances.mean(axis=0)
print("held out of train: accuracy %.4f" % np.mean(scores(images[held_out]).argmax(axis=1) == labels[held_out]))

with open("submission.csv", "w", newline="") as file:
    writer = csv.writer(file)
    writer.writerow(["id", "label"])
    writer.writerows(enumerate(scores(read("test-images-idx3-ubyte")).argmax(axis=1).tolist()))
