"""memory_write and memory_read: notes of a task that outlive the run.

The supervisor keeps them; here they are found again.
"""

from __future__ import annotations

import base64
import json
import os

from . import place, text_file
from .failure import Failure, UsageError

_FILE = "memory.json"
_MOST_BYTES = 16 * 1024
_MOST_MATCHES = 2
_DISABLED = "This run keeps no memory."


def memory_write(arguments: list[str]) -> None:
    from .supervisor_socket import ask

    text = " ".join(arguments).strip()
    if not text:
        raise UsageError()
    encoded = text.encode("utf-8", "replace")
    if len(encoded) > _MOST_BYTES:
        raise Failure(
            f"Error: a note may have {_MOST_BYTES} bytes, and this one has {len(encoded)}. Nothing was kept."
        )
    if _records() is None:
        raise Failure(_DISABLED)
    print(ask("memory " + base64.b64encode(encoded).decode("ascii")))


def memory_read(arguments: list[str]) -> None:
    from .similarity import scores

    query = " ".join(arguments).strip()
    if not query:
        raise UsageError()
    records = _records()
    if records is None:
        raise Failure(_DISABLED)
    print(f"Query: {query}")
    if not records:
        print("The memory is empty.")
        return
    # Equal ones: the newest first.
    ranked = sorted(zip(scores(query, records), range(len(records))), reverse=True)[:_MOST_MATCHES]
    print("Closest notes:")
    for place_of, (score, index) in enumerate(ranked, 1):
        print(f"Match {place_of}: {records[index]} | similarity score: {score:.2f}")


def _records() -> list[str] | None:
    """None when the experiment keeps no memory."""
    path = os.path.join(place.tools_dir(), _FILE)
    if not os.path.lexists(path):
        return None
    try:
        found = json.loads(text_file.load(path, path).content)["records"]
        return [record["text"] for record in found if isinstance(record["text"], str)]
    except (ValueError, LookupError, TypeError, RecursionError):
        raise Failure("The memory cannot be read.", 1) from None
