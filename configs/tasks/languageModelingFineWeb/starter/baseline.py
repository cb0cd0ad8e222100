"""Counts pairs of tokens in the beginning of the first shard, and writes checkpoint/ngrams.npz, which model.py reads."""

import os

import numpy as np
import shards

TOKENS = 200_000


def count(tokens, order, fewest=1):
    """Arrays for model.py: every sequence of 2 to `order` tokens, longer ones than 2 only if they occur `fewest` times."""
    size = shards.vocabulary()
    bits = int(size - 1).bit_length()
    if order * bits > 64:
        raise ValueError("sequences of %d tokens of %d bits do not fit into 64" % (order, bits))
    often = np.bincount(tokens, minlength=size) + 1.0
    found = {"vocabulary": size, "bits": bits, "order": order, "single": often / often.sum()}
    packed = tokens.astype(np.uint64)
    for length in range(2, order + 1):
        packed = packed[:-1] << np.uint64(bits) | tokens[length - 1 :].astype(np.uint64)
        keys, counts = np.unique(packed, return_counts=True)
        kept = counts >= (fewest if length > 2 else 1)
        found["keys%d" % length], found["counts%d" % length] = keys[kept], counts[kept].astype(np.float32)
    return found


def write(found):
    os.makedirs("checkpoint", exist_ok=True)
    np.savez("checkpoint/ngrams.npz", **found)


if __name__ == "__main__":
    tokens = shards.read(shards.training_shards()[0], TOKENS)
    write(count(tokens, order=2))
    print("counted %d tokens" % len(tokens))
