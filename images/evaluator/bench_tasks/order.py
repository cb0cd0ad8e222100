"""The orders to the processes of the referee and of prepare_main.py, as JSON."""

from __future__ import annotations

from typing import TypedDict


class RefereeOrder(TypedDict, total=False):
    """One evaluation of one split. `seed` and `playerSeed` are hexadecimal."""

    kind: str
    split: str
    seed: str
    playerSeed: str
    #: Seconds for the whole evaluation.
    timeoutSeconds: float
    module: str
    function: str
    #: Folder of the files to judge; none where the player is asked.
    answers: str
    #: Folder with a folder of inputs for each split.
    inputs: str
    #: Is the evaluation alone in its control group?
    ownContainer: bool
    playerPid: int | None


class PrepareOrder(TypedDict):
    """`sources`: {name: path}; `agent` and `hidden`: empty folders to fill."""

    task: str
    sample: bool
    sources: dict[str, str]
    agent: str
    hidden: str
