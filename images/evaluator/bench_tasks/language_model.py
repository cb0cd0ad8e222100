"""The loss of a submitted language model, token by token.

The player gets the tokens of each stream so far, one at a time, and must answer with logits over
the whole vocabulary before the next one leaves this process. The softmax is taken here: whatever
the logits are, they make one distribution, and a model that lies loses.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence

from .questions import Player

# Where it is installed, the softmax is taken with it: of a large vocabulary many times faster.
try:
    import numpy
except ImportError:
    numpy = None  # type: ignore[assignment]


def loss_per_token(
    player: Player,
    documents: Sequence[Sequence[int]],
    vocabulary: int,
    *,
    streams: int = 32,
    seconds: float = 10,
) -> float:
    """Mean negative log-likelihood, in nats per token, over all tokens but each document's first.

    Calls function(tokens, new): `tokens` holds the newest token of each stream; `new` is true when
    each stream begins a document, and `tokens` are their first ones. It returns a row of
    `vocabulary` logits for each stream. `streams` documents are read side by side; where one is
    shorter than its neighbours it goes on with token 0, which does not count. `seconds`: limit for
    one step.

    Raises ValueError for documents that cannot be scored. An answer of another shape, or one that
    is not finite, rejects the submission.
    """
    # Documents of similar length run side by side.
    queue = sorted((document for document in documents if len(document) > 1), key=len, reverse=True)
    if not queue:
        raise ValueError("there is no document of two tokens or more")
    if any(not 0 <= token < vocabulary for document in queue for token in document):
        raise ValueError(f"a token is outside the vocabulary of {vocabulary}")
    losses: list[float] = []
    for start in range(0, len(queue), streams):
        batch = queue[start : start + streams]
        for step in range(len(batch[0]) - 1):
            player.context = f"token {step + 2} of documents {start + 1} to {start + len(batch)}"
            tokens = [document[step] if step < len(document) else 0 for document in batch]
            logits = player.ask_floats(len(batch) * vocabulary, tokens, step == 0, seconds=seconds)
            wanted = [document[step + 1] for document in batch if step + 1 < len(document)]
            try:
                losses += row_losses(logits, vocabulary, wanted)
            except ValueError as error:
                raise player.invalid(str(error)) from None
    return math.fsum(losses) / len(losses)


def row_losses(logits: array[float], vocabulary: int, wanted: Sequence[int]) -> list[float]:
    """-log softmax(row)[token] of the first rows, one for each wanted token.

    `logits`: rows of `vocabulary` 32-bit floats, one after the other. Raises ValueError for NaN and
    infinities.
    """
    if numpy is not None:
        return _numpy_losses(logits, vocabulary, wanted)
    losses = []
    for row, token in enumerate(wanted):
        values = logits[row * vocabulary : (row + 1) * vocabulary]
        if not all(map(math.isfinite, values)):
            raise ValueError("a logit is not a finite number")
        top = max(values)
        # Differences first: added to a large `top`, the logarithm would be rounded away.
        spread = math.log(math.fsum(math.exp(value - top) for value in values))
        losses.append(spread - (values[token] - top))
    return losses


def _numpy_losses(logits: array[float], vocabulary: int, wanted: Sequence[int]) -> list[float]:
    rows = numpy.frombuffer(logits, dtype="f4").reshape(-1, vocabulary)
    table = rows[: len(wanted)].astype("f8")
    if not numpy.isfinite(table).all():
        raise ValueError("a logit is not a finite number")
    table -= table.max(axis=1, keepdims=True)
    chosen = table[numpy.arange(len(wanted)), wanted]
    losses: list[float] = (numpy.log(numpy.exp(table).sum(axis=1)) - chosen).tolist()
    return losses
