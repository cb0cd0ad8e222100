"""How a referee rejects a submission, and how it quotes one."""

from __future__ import annotations

_SHOWN = 80


class Rejected(Exception):
    """The submission is at fault; the message is for the agent."""


class PlayerFailed(Rejected):
    """The submission's process answered wrongly, late, or not at all.

    `ended`: its process has ended or broken the channel; how, the init process knows.
    `starved`: it was late because the machine was short of CPU.
    """

    def __init__(self, message: str, ended: bool = False, starved: bool = False) -> None:
        super().__init__(message)
        self.ended = ended
        self.starved = starved


def shown(value: object) -> str:
    """The value as Python writes it, cut to 80 characters: messages quote what was submitted."""
    text = repr(value)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."
