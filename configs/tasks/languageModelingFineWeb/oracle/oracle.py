"""The same model with more of everything: more tokens, and longer sequences of them."""

import numpy as np
import shards
from baseline import count, write

# What fits into memory, and into the submission, where tokens are of a large vocabulary.
MOST = 12_000_000
LONGEST = 6

tokens = []
for path in shards.training_shards():
    tokens.append(shards.read(path, MOST - sum(map(len, tokens))))
tokens = np.concatenate(tokens)
bits = int(shards.vocabulary() - 1).bit_length()
write(count(tokens, order=min(LONGEST, 64 // bits), fewest=1 if bits <= 8 else 2))
print(f"counted {len(tokens)} tokens")
