"""What a command came to, as it is written down for whoever asks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .gpus import Found


@dataclass
class Outcome:
    """One line of JSON by `to_json`; backends/shell/protocol.ts reads it."""

    n: int
    working_dir: str
    pid: int | None
    # None: nobody saw the end.
    exit_code: int | None = None
    # `time`, `silence`, `workspace` or `interrupt`.
    stopped_by: str | None = None
    # Claimed, and cut off with an earlier supervisor or before its shell began.
    lost: bool = False
    output: str = ""
    output_bytes: int = 0
    # The next command starts in a fresh shell.
    state_reset: bool = False
    notice: str | None = None
    # `validate` or `submit`.
    requested: str | None = None
    ms: int = 0
    open_file: str | None = None
    memories: list[str] = field(default_factory=list)
    # None: there are none, or the driver did not tell.
    gpus: Found = None
    # Processes that the memory limit ended since the outcome before.
    memory_kills: int = 0
    # The first one of a supervisor that found an earlier one's steps.
    restarted: bool = False
    # It was restarted because it had lost its GPUs.
    gpus_lost: bool = False

    def to_json(self) -> dict[str, Any]:
        """As the worker reads it."""
        found: dict[str, Any] = {
            "n": self.n,
            "exitCode": self.exit_code,
            "timedOut": self.stopped_by not in (None, "interrupt"),
            "interrupted": self.stopped_by == "interrupt",
            "stoppedBy": self.stopped_by,
            "lost": self.lost,
            "output": self.output,
            "outputBytes": self.output_bytes,
            "stateReset": self.state_reset,
            "notice": self.notice,
            "workingDir": self.working_dir,
            "requested": self.requested,
            "ms": self.ms,
            "pid": self.pid,
            "openFile": self.open_file,
            "memories": self.memories,
        }
        if self.gpus is not None:
            found["gpus"] = self.gpus
        if self.memory_kills > 0:
            found["memoryKills"] = self.memory_kills
        if self.restarted:
            found["restarted"] = True
        if self.gpus_lost:
            found["gpusLost"] = True
        return found
