"""Counts what the agent's files take, where no file system of that size holds the limit.

While a command runs every few seconds, and once after it. Only what lies in directories is seen:
not files that are deleted and still open.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Iterator

from . import limits
from .event_loop import EventLoop

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_MB = 1024 * 1024


class WorkspaceWatch:
    """`over` is called while a command runs that takes more than is left, or more than there was if
    that was too much already.
    """

    def __init__(
        self, loop: EventLoop, places: tuple[str, ...], limit_bytes: int, over: Callable[[], None]
    ) -> None:
        self._loop = loop
        self._places = places
        self._limit = limit_bytes
        self._over = over
        # None: too many files, or nested too deep, to be counted.
        self._total: int | None = 0
        self._allowed = limit_bytes
        self._command_runs = False
        self._walk: Iterator[int | None] | None = None
        self._spent = 0.0
        self._once_more = False
        self._waiting = self._loop.after(0, self._begin)

    def command_began(self) -> None:
        self._command_runs = True
        # Whoever clears up may take more time than we have patience.
        self._allowed = max(self._limit, self._total or 0)
        self._next_in(limits.WORKSPACE_LOOK_SECONDS)

    def command_ended(self) -> None:
        self._command_runs = False
        self._once_more = self._walk is not None
        self._next_in(0)

    def notice(self) -> str | None:
        """What the agent should know; None: all is well."""
        limit = f"{self._limit // _MB} MB"
        rule = "Delete some: a command that adds more is ended, and all that runs in the background with it."
        if self._total is None:
            return f"The files in {self._where()} are too many or nested too deep to be counted (limit: {limit}). {rule}"
        if self._total > self._limit:
            return f"The files in {self._where()} take {self._total // _MB} MB, more than the {limit} allowed. {rule}"
        return None

    def _where(self) -> str:
        return ", ".join(self._places)

    def _next_in(self, seconds: float) -> None:
        self._waiting.cancel()
        self._waiting = self._loop.after(seconds, self._begin)

    def _begin(self) -> None:
        if self._walk is None:
            self._walk, self._spent = self._count(), 0.0
            self._go_on()

    def _go_on(self) -> None:
        """A slice of the walk: the event loop is never held up for long."""
        if self._walk is None:
            return
        begun = time.monotonic()
        for total in self._walk:
            if total is not None:
                self._walk = None
                self._spent += time.monotonic() - begun
                self._counted(total if total >= 0 else None)
                return
            if time.monotonic() - begun > limits.WORKSPACE_SLICE_SECONDS:
                break
        self._spent += time.monotonic() - begun
        self._loop.after(limits.WORKSPACE_SLICE_SECONDS, self._go_on)

    def _counted(self, total: int | None) -> None:
        self._total = total
        if self._command_runs:
            # Large workspaces are looked at less often: the walk takes a tenth of a core at most.
            self._next_in(max(limits.WORKSPACE_LOOK_SECONDS, 10 * self._spent))
            if total is None or total > self._allowed + limits.WORKSPACE_SLACK_BYTES:
                self._over()
            else:
                self._allowed = max(self._limit, min(self._allowed, total))
        elif self._once_more:
            self._once_more = False
            self._next_in(0)

    def _count(self) -> Iterator[int | None]:
        """Yields None now and then, and at last the bytes, or -1 when they cannot be counted.

        Directories are opened one below the other, never by a path and never through a link.
        """
        open_ends: list[tuple[int, Iterator[os.DirEntry[str]]]] = []
        total = entries = 0
        # One may lie in another.
        places = self._identities()
        try:
            for place in places.values():
                self._enter(place, None, open_ends)
                while open_ends:
                    directory, listing = open_ends[-1]
                    try:
                        entry = next(listing, None)
                    except OSError:
                        entry = None
                    if entry is None:
                        open_ends.pop()
                        os.close(directory)
                        continue
                    entries += 1
                    if entries > limits.WORKSPACE_ENTRIES:
                        yield -1
                    if entries % 64 == 0:
                        yield None
                    try:
                        found = entry.stat(follow_symlinks=False)
                    except OSError:
                        continue
                    is_directory = stat.S_ISDIR(found.st_mode)
                    # Of a file with several names each has its share.
                    total += (
                        found.st_blocks * 512 // (1 if is_directory else max(1, found.st_nlink))
                    )
                    if not is_directory or (found.st_dev, found.st_ino) in places:
                        continue
                    if len(open_ends) >= limits.WORKSPACE_DEPTH:
                        yield -1
                    self._enter(entry.name, directory, open_ends)
            yield total
        finally:
            for directory, _ in open_ends:
                os.close(directory)

    def _identities(self) -> dict[tuple[int, int], str]:
        found: dict[tuple[int, int], str] = {}
        for place in self._places:
            try:
                status = os.stat(place, follow_symlinks=False)
            except OSError:
                continue
            found[(status.st_dev, status.st_ino)] = place
        return found

    @staticmethod
    def _enter(
        name: str, parent: int | None, open_ends: list[tuple[int, Iterator[os.DirEntry[str]]]]
    ) -> None:
        try:
            directory = os.open(name, _DIRECTORY, dir_fd=parent)
        except OSError:
            return
        try:
            # Its own descriptor, which it closes at its end.
            open_ends.append((directory, os.scandir(directory)))
        except OSError:
            os.close(directory)
