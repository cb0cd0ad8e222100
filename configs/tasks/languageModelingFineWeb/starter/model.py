"""The model that is scored: it knows how often tokens followed each other in training, and mixes what it knows (Witten and Bell, 1991)."""

import numpy as np

with np.load("checkpoint/ngrams.npz") as file:
    vocabulary, bits, order = (int(file[name]) for name in ("vocabulary", "bits", "order"))
    single = file["single"]
    # Of each length from 2 on: the tokens, packed into one number, in order; and how often they occurred.
    keys = [file["keys%d" % length] for length in range(2, order + 1)]
    counts = [file["counts%d" % length] for length in range(2, order + 1)]

before = []


def next_logits(tokens, new):
    """A row of logits for each stream. `tokens`: the newest token of each; `new`: these are the first of their texts."""
    global before
    if new:
        before = [[] for _ in tokens]
    rows = np.empty((len(tokens), vocabulary), dtype=np.float32)
    for stream, token in enumerate(tokens):
        before[stream] = (before[stream] + [token])[-(order - 1) :]
        rows[stream] = np.log(chances(before[stream]))
    return rows


def chances(context):
    """Of every token after this context: first of all contexts, then of its last token, of its last two, and so on."""
    found = single.copy()
    for length in range(1, len(context) + 1):
        packed = 0
        for token in context[-length:]:
            packed = packed << bits | token
        known, often = keys[length - 1], counts[length - 1]
        start = np.searchsorted(known, np.uint64(packed << bits))
        end = np.searchsorted(known, np.uint64((packed << bits) + (1 << bits) - 1), side="right")
        if start == end:
            break
        # What was never seen after this context gets as much as there were different tokens after it.
        total = often[start:end].sum() + (end - start)
        found *= (end - start) / total
        found[(known[start:end] & np.uint64((1 << bits) - 1)).astype(int)] += often[start:end] / total
    return found
