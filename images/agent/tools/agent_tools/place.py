"""Where this sandbox keeps what the tools need."""

from __future__ import annotations

import os
import sys

_CONTAINER_TOOLS = "/run/bench-tools"
_CONTAINER_HOME = "/home/agent"
# Beside the commands on the local backend, where the agent's home differs from run to run.
_HOME_FILE = "agent-home"


def tools_dir() -> str:
    """The directory of the supervisor's socket: beside the commands on a plain host, in a fixed
    place in containers.
    """
    return _beside() if os.path.exists(os.path.join(_beside(), _HOME_FILE)) else _CONTAINER_TOOLS


def _beside() -> str:
    return os.path.dirname(os.path.abspath(sys.argv[0]))


def state_dir() -> str:
    """Belongs to the agent, and is where the supervisor looks for the open file, whatever the agent
    does to its HOME.
    """
    try:
        with open(os.path.join(_beside(), _HOME_FILE), encoding="utf-8") as file:
            return os.path.join(file.read(4096).rstrip("\n"), ".bench")
    except OSError:
        pass
    home = (
        _CONTAINER_HOME
        if os.path.isdir(_CONTAINER_TOOLS)
        else os.environ.get("HOME", _CONTAINER_HOME)
    )
    return os.path.join(home, ".bench")
