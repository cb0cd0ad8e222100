"""Finds the training images with the most similar patches of colour, and says what is most often
said of those. Writes submission.csv.

The caption is the one, of all those of the neighbours, that would score best against the others'
captions (Devlin et al., 2015, choose in this way).
"""

import csv
from collections import Counter

import numpy as np
from bleu import ngrams, words
from images import read_image

LEVELS, SIDE, NEIGHBOURS = 3, 64, 12


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def features(path):
    """Of each coarse colour: how much of it there is, where it lies, how far it reaches, and how
    much of its extent it fills.
    """
    pixels = read_image(path)
    rows, columns = (np.linspace(0, length - 1, SIDE).astype(int) for length in pixels.shape[:2])
    pixels = pixels[rows][:, columns].astype(int)
    bins = (pixels * LEVELS // 256) @ [LEVELS * LEVELS, LEVELS, 1]
    found = []
    for each in range(LEVELS**3):
        place = np.argwhere(bins == each) / SIDE
        if len(place) < 20:
            found += [0.0] * 7
            continue
        extent = place.max(axis=0) - place.min(axis=0) + 1 / SIDE
        share = len(place) / SIDE**2
        found += [
            0.7,
            share**0.5,
            *(0.7 * place.mean(axis=0)),
            *extent,
            0.5 * share / extent.prod(),
        ]
    return found


def consensus(captions):
    counted = [[ngrams(words(caption), size) for size in (1, 2, 3, 4)] for caption in captions]
    # How many captions know each n-gram.
    known = [Counter(gram for each in counted for gram in each[size]) for size in range(4)]

    def agreement(grams):
        return sum(
            sum(known[size][gram] - 1 for gram in grams[size]) / (len(grams[size]) + 1) * (size + 1)
            for size in range(4)
        )

    return captions[max(range(len(captions)), key=lambda index: agreement(counted[index]))]


captions = {}
for row in read("data/train_captions.csv"):
    captions.setdefault(row["file_name"], []).append(row["caption"])
names = list(captions)
asked = [row["file_name"] for row in read("data/test.csv")]
known = np.array([features("data/train/" + name) for name in names])
with open("submission.csv", "w", encoding="utf-8", newline="") as file:
    writer = csv.writer(file)
    writer.writerow(["file_name", "caption"])
    for name in asked:
        distance = ((known - features("data/test/" + name)) ** 2).sum(axis=1)
        near = np.argsort(distance, kind="stable")[:NEIGHBOURS]
        writer.writerow(
            [name, consensus([caption for index in near for caption in captions[names[index]]])]
        )
