"""How a command ends when it cannot do what was asked."""

from __future__ import annotations


class Failure(Exception):
    """Told to the agent as it stands.

    `code` 0: the agent's call was wrong; 1: the call was right and could not be carried out.
    """

    def __init__(self, message: str, code: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.code = code


class UsageError(Exception):
    """The command's usage is shown, then `message` if there is one."""

    def __init__(self, message: str = "") -> None:
        super().__init__(message)
        self.message = message
