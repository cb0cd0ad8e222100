"""The task's starter files: copied into the workspace once, before the first command."""

from __future__ import annotations

import os
import shutil

_STAGED, _DONE = "starter", "seeded"


def copy(source: str, target: str, uid: int | None) -> None:
    """Files and folders only. What is made, `target` included, belongs to `uid` from then on; existing folders stay."""
    if not os.path.isdir(target):
        os.mkdir(target)
        _hand_over(target, 0o755, uid)
    with os.scandir(source) as entries:
        for entry in entries:
            inside = os.path.join(target, entry.name)
            if entry.is_dir(follow_symlinks=False):
                copy(entry.path, inside, uid)
            elif entry.is_file(follow_symlinks=False):
                if os.path.lexists(inside):
                    os.unlink(inside)
                shutil.copyfile(entry.path, inside)
                _hand_over(inside, 0o755 if entry.stat().st_mode & 0o111 else 0o644, uid)


def _hand_over(path: str, mode: int, uid: int | None) -> None:
    # In this order: in containers root may not change the mode of what it does not own.
    os.chmod(path, mode)
    if uid is not None:
        os.chown(path, uid, uid, follow_symlinks=False)


def seed(workspace: str, uid: int) -> None:
    """Move what the worker staged in the control directory, the current one, into the workspace. Cut off, it begins anew."""
    if os.path.exists(_DONE):
        return
    copy(_STAGED, workspace, uid)
    with open(_DONE, "wb"):
        pass
    owner = os.stat(".")
    os.chown(_DONE, owner.st_uid, owner.st_gid)
    shutil.rmtree(_STAGED, ignore_errors=True)
