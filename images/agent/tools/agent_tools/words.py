"""The words of the commands: ours, or those of MLGym's interface for agents that ask for its dialect.

MLGym's are facts of a protocol: recordings and programs that read observations know them by heart.
"""

from __future__ import annotations

import os

_VARIABLE = "AGENT_DIALECT"


def is_mlgym() -> bool:
    return os.environ.get(_VARIABLE) == "mlgym"


def say(ours: str, mlgym: str) -> str:
    return mlgym if is_mlgym() else ours
