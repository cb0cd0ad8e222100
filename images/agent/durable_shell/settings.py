"""Who the agent is and where it lives: fixed when the supervisor starts."""

from __future__ import annotations

from dataclasses import dataclass, field

from .gpu_access import CONTROL_DEVICE
from .sealed_thread import SealedThread


@dataclass(frozen=True)
class Settings:
    # None: same user as the supervisor (local backend without root).
    uid: int | None
    # True: nothing else runs under `uid` in our process namespace, so all of it may be killed at
    # once.
    uid_is_ours_alone: bool
    workspace: str
    # The agent's own directory, where its tools keep their notes.
    home: str
    # Environment of a fresh shell. Later ones get theirs from the carried state.
    environment: dict[str, str]
    tools_socket: str
    # Execs may run as other users than the agent: the sandbox has its own.
    has_other_users: bool = False
    # Limit on the processes of `uid`, where nothing else limits them and the uid is this run's own.
    most_processes: int | None = None
    # What the agent's files may take together, where nothing else holds it, and where they lie.
    workspace_bytes: int | None = None
    watched_places: tuple[str, ...] = field(default=())
    # GPUs were leased: outcomes tell of them.
    has_gpus: bool = False
    # Can be opened as long as the sandbox has its GPUs.
    gpu_device: str = CONTROL_DEVICE
    # The memory limit is the sandbox's own: outcomes tell of processes that it ended.
    counts_memory_kills: bool = False
    # Where shells are started from, if the kernel would let them have us killed in their place when
    # memory is short.
    sealed: SealedThread | None = None
    bash: str = "/bin/bash"
    # Where to fall back to when a carried directory is gone.
    fallback_dirs: tuple[str, ...] = field(default=())
