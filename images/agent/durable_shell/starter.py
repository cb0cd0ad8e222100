"""What a sandbox begins with: the task's starter files, or a snapshot of an earlier sandbox.

Once, before the first command.
"""

from __future__ import annotations

import os
import shutil

from . import snapshot

_STAGED, _DONE = "starter", "seeded"
_UPLOAD, _WHOLE = "upload-", "whole"
# Images of tasks that bring their own keep the workspace's beginning here; their folder of it is a
# link to the workspace.
OF_IMAGE = "/opt/bench/workdir"
# Where a snapshot's size is bounded by the file system alone.
_UNBOUNDED = 2**50


def copy(source: str, target: str, uid: int | None) -> None:
    """Files and folders only.

    What is made, `target` included, belongs to `uid` from then on; existing folders stay, but for
    those that a copy which was cut off has not handed over.
    """
    if not os.path.isdir(target):
        os.mkdir(target)
        _hand_over(target, 0o755, uid)
    elif uid not in (None, os.geteuid()) and os.lstat(target).st_uid == os.geteuid():
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


def copy_as_it_is(source: str, target: str, uid: int) -> None:
    """With links, modes and times; whatever is neither file, folder nor link is left out."""
    with os.scandir(source) as entries:
        for entry in entries:
            inside = os.path.join(target, entry.name)
            if entry.is_dir(follow_symlinks=False):
                # Cut off before, it may be there.
                os.makedirs(inside, exist_ok=True)
                copy_as_it_is(entry.path, inside, uid)
            elif entry.is_symlink() or entry.is_file():
                if os.path.lexists(inside):
                    os.unlink(inside)
                shutil.copyfile(entry.path, inside, follow_symlinks=False)
            else:
                continue
            found = entry.stat(follow_symlinks=False)
            if not entry.is_symlink() and os.lstat(inside).st_uid == os.geteuid():
                # Before it is handed over: root may not do it afterwards, in a container.
                os.chmod(inside, found.st_mode & 0o1777 | 0o600)
                os.utime(inside, ns=(found.st_atime_ns, found.st_mtime_ns))
            os.chown(inside, uid, uid, follow_symlinks=False)


def seed(view: dict[str, str], places: dict[str, str], uid: int, most_bytes: int | None) -> None:
    """Move what the worker staged in the control directory, the current one, to its places.

    Cut off, it begins anew.
    """
    if os.path.exists(_DONE):
        return
    _take_upload()
    if os.path.exists(snapshot.ARCHIVE):
        restore(view, places, uid, most_bytes)
    else:
        if os.path.isdir(OF_IMAGE):
            copy_as_it_is(OF_IMAGE, places["workspace"], uid)
        copy(_STAGED, places["workspace"], uid)
        _write(_DONE, b"")
    shutil.rmtree(_STAGED, ignore_errors=True)


def _take_upload() -> None:
    """Where the directory is not shared, each worker that starts the sandbox sends a copy of its
    own: one that is whole is taken.

    One that still arrives is left alone. Cut off, this goes on at the next start.
    """
    for name in sorted(os.listdir(".")):
        if not (name.startswith(_UPLOAD) and os.path.exists(os.path.join(name, _WHOLE))):
            continue
        for child in os.listdir(name):
            if child != _WHOLE and not os.path.lexists(child):
                os.rename(os.path.join(name, child), child)
        shutil.rmtree(name)


def restore(
    view: dict[str, str], places: dict[str, str], uid: int | None, most_bytes: int | None
) -> None:
    """Replace what is there by the snapshot that was staged in the control directory, the current
    one; nothing if none was.
    """
    if os.path.exists(_DONE) or not os.path.exists(snapshot.ARCHIVE):
        return
    for name, content in snapshot.unpack(".", view, places, uid, most_bytes or _UNBOUNDED).items():
        _write(name, content)
    _write(_DONE, b"")
    os.unlink(snapshot.ARCHIVE)


def _write(path: str, content: bytes) -> None:
    with open(path, "wb") as file:
        file.write(content)
    os.chmod(path, 0o600)
    owner = os.stat(".")
    os.chown(path, owner.st_uid, owner.st_gid)
