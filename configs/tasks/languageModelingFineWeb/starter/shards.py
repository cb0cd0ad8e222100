"""Reads shards of tokens: a header of 256 32-bit integers (20240520, 1, number of tokens, zeros), then 16 bits for each token."""

import glob
import json

import numpy as np

HEADER = 256
MAGIC, VERSION = 20240520, 1


def training_shards():
    return sorted(glob.glob("data/fineweb10B/fineweb_train_*.bin"))


def read(path, most=-1):
    """The tokens, or the first `most` of them, as uint16."""
    magic, version, count = np.fromfile(path, "<i4", 3)
    if (magic, version) != (MAGIC, VERSION):
        raise ValueError("%s is no shard of tokens" % path)
    return np.fromfile(path, "<u2", count if most < 0 else min(count, most), offset=4 * HEADER)


def vocabulary():
    with open("data/evaluation.json", encoding="utf-8") as file:
        return json.load(file)["vocabulary"]
