"""What the agent wants to know in later runs of its task: read as a file, added to by requests of
the running command.

On when the worker has put `memory.json` into the control directory. What is added is kept there
too, so it outlives this process, with the number of the command that added it.
"""

from __future__ import annotations

import base64
import binascii
import json
import os
import sys
from typing import Any

from . import limits
from .step_store import StepStore

_GIVEN, _ADDED = "memory.json", "memory-added.json"


class Refused(Exception):
    """Its text is for the agent."""


class Memory:
    """Expects to be made in the control directory."""

    def __init__(self, store: StepStore, tools_dir: str) -> None:
        self._store = store
        self._path = os.path.join(tools_dir, _GIVEN)
        self._given = _records(_GIVEN)
        self._added = (_records(_ADDED) or []) if self._given is not None else []
        self._added_bytes = sum(
            len(str(record.get("text")).encode("utf-8", "replace")) for record in self._added
        )
        if self._given is not None:
            self._show()

    def add(self, step: int, encoded: bytes) -> None:
        """Keep a text, given as base64.

        Raises Refused, and OSError when it cannot be written down.
        """
        text = self._acceptable(step, encoded)
        self._store.write_whole(_ADDED, _json([*self._added, {"step": step, "text": text}]))
        self._added.append({"step": step, "text": text})
        self._added_bytes += len(text.encode())
        self._show()

    def of_step(self, step: int) -> list[str]:
        return [record["text"] for record in self._added if record.get("step") == step]

    def _acceptable(self, step: int, encoded: bytes) -> str:
        if self._given is None:
            raise Refused("Refused: this run keeps no memory.")
        try:
            text = base64.b64decode(encoded, validate=True).decode()
        except (binascii.Error, UnicodeDecodeError):
            raise Refused("Refused: a memory is UTF-8 text.") from None
        size = len(text.encode())
        if not text.strip():
            raise Refused("Refused: an empty memory says nothing.")
        if size > limits.MEMORY_BYTES:
            raise Refused(f"Refused: a memory of {size} bytes; {limits.MEMORY_BYTES} are the most.")
        if any(ord(character) < 32 and character not in "\t\n\r" for character in text):
            raise Refused("Refused: a memory holds no control characters.")
        if len(self.of_step(step)) >= limits.MEMORIES_PER_COMMAND:
            raise Refused(
                f"Refused: one command adds {limits.MEMORIES_PER_COMMAND} memories at the most."
            )
        if self._added_bytes + size > limits.MEMORY_TOTAL_BYTES:
            raise Refused(
                f"Refused: this run has added {self._added_bytes} bytes; {limits.MEMORY_TOTAL_BYTES} are the most."
            )
        return text

    def _show(self) -> None:
        """As a file that the agent can read and not write."""
        added = [{"text": record["text"]} for record in self._added]
        temporary = f"{self._path}.tmp"
        descriptor = os.open(
            temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644
        )
        with open(descriptor, "wb") as file:
            os.fchmod(descriptor, 0o644)
            file.write(_json([*(self._given or []), *added]))
        os.rename(temporary, self._path)


def _json(records: list[Any]) -> bytes:
    return json.dumps({"records": records}, ensure_ascii=False).encode("utf-8", "replace")


def _records(path: str) -> list[dict[str, Any]] | None:
    try:
        with open(path, "rb") as file:
            records: list[dict[str, Any]] = json.load(file)["records"]
        if all(isinstance(record["text"], str) for record in records):
            return records
    except FileNotFoundError:
        return None
    except (OSError, ValueError, LookupError, TypeError):
        pass
    print(f"{path} is no list of memories: this sandbox keeps none", file=sys.stderr, flush=True)
    return None
