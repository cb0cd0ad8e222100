"""Plain programs beside the durable shell: argv, stdin, two streams, any user, many at once.

Keyed like commands: `execs/<key>/` is claimed once, and whoever asks again waits for the outcome or
finds it.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

from . import exec_keeper, exec_users, limits
from .event_loop import EventLoop, Timer
from .exec_keeper import ExecOrder
from .exec_store import ExecStore
from .line_server import Connection, move_up
from .settings import Settings
from .step_store import StepStore

_RESTARTED = "the sandbox was restarted while it ran"
_KEEPER_DIED = "the process that kept it was killed"


@dataclass
class _Kept:
    """An exec that runs, or has left processes behind."""

    key: str
    pid: int
    channel: Any
    timer: Timer | None
    running: bool = True

    def tell(self, word: str) -> None:
        try:
            self.channel.sendall(f"{word}\n".encode())
        except OSError:
            pass  # it is ending


class Execs:
    """`on_change`: an exec has begun or ended."""

    def __init__(
        self, loop: EventLoop, settings: Settings, files: StepStore, on_change: Callable[[], None]
    ) -> None:
        self._loop = loop
        self._settings = settings
        self._store = ExecStore(files)
        self._on_change = on_change
        self._kept: dict[str, _Kept] = {}
        self._waiting: dict[str, list[Connection]] = {}
        for key in self._store.unfinished():
            # Its keeper ended with the supervisor before us, and all that ran with it.
            self._store.finish(key, {"lost": True, "why": _RESTARTED})

    @property
    def keepers(self) -> set[int]:
        return {kept.pid for kept in self._kept.values()}

    @property
    def running(self) -> int:
        return sum(kept.running for kept in self._kept.values())

    def ask(self, connection: Connection, request: dict[str, Any]) -> dict[str, Any] | None:
        key, same = str(request["key"]), str(request["same"])
        if not ExecStore.names(key):
            return _refused("invalid", f"{key[:200]!r} is not a key")
        try:
            if self._store.claimed(key):
                if self._store.request(key).get("same", same) != same:
                    return _refused("other_request", f"exec {key} was another request")
            else:
                refusal = self._begin(key, same, request)
                if refusal is not None:
                    return refusal
        finally:
            self._store.drop_stdin(key)
        if self._store.finished(key) and not self._runs(key):
            return {"ended": key}
        self._waiting.setdefault(key, []).append(connection)
        return None

    def stop(self, key: str, reason: str) -> None:
        """Ends what runs of it, and what it left behind. Harmless when there is nothing."""
        if key in self._kept:
            self._kept[key].tell(reason)

    def stop_all(self, reason: str) -> None:
        for kept in self._kept.values():
            kept.tell(reason)

    def _runs(self, key: str) -> bool:
        return key in self._kept and self._kept[key].running

    def _begin(self, key: str, same: str, request: dict[str, Any]) -> dict[str, Any] | None:
        if self.running >= limits.RUNNING_EXECS:
            return {"error": f"busy: {limits.RUNNING_EXECS} execs are running"}
        try:
            user = exec_users.find(request.get("user"), self._settings)
        except exec_users.NoSuchUser as error:
            return _refused("user", str(error))
        own = {} if user is None else user.environment
        environment = {**self._settings.environment, **own, **request.get("env", {})}
        time_limit = float(request["timeLimitSeconds"])
        argv = [str(part) for part in request["argv"]]
        self._store.claim(key)
        try:
            order = ExecOrder(
                key=key,
                argv=_encoded(argv),
                environment=dict(zip(_encoded(environment), _encoded(environment.values()))),
                cwd=os.fsencode(os.path.join(self._settings.workspace, request.get("cwd", ""))),
                user=user,
                output_limit=int(request["outputLimitBytes"]),
                stdin=self._store.take_stdin(key, request.get("stdin")),
            )
            try:
                pid, channel = exec_keeper.start(order, self._settings, self._store)
            finally:
                if order.stdin is not None:
                    os.close(order.stdin)
        except OSError as error:
            self._store.give_up(key)
            return {"error": f"it cannot be started: {error.strerror}"}
        except BaseException:
            self._store.give_up(key)
            raise
        kept = _Kept(key, pid, move_up(channel), None)
        self._kept[key] = kept
        self._loop.on_exit(pid, lambda _: self._keeper_ended(kept))
        self._loop.watch(kept.channel, partial(self._told, kept))
        kept.timer = self._loop.after(time_limit, lambda: self.stop(key, "time"))
        # Environment variables may be secrets of the caller's.
        self._store.started(key, {"same": same, "argv": argv, "pid": pid})
        kept.tell(exec_keeper.GO)
        self._on_change()
        return None

    def _told(self, kept: _Kept) -> None:
        try:
            said = kept.channel.recv(64)
        except ConnectionError:
            said = b""
        if not said:
            self._loop.unwatch(kept.channel)
        elif kept.running:
            self._ended(kept)

    def _keeper_ended(self, kept: _Kept) -> None:
        self._loop.unwatch(kept.channel)
        kept.channel.close()
        if self._kept.get(kept.key) is kept:
            del self._kept[kept.key]
        if not kept.running:
            return
        if not self._store.finished(kept.key):
            self._finish_lost(kept)
            return
        self._ended(kept)

    def _finish_lost(self, kept: _Kept) -> None:
        try:
            self._store.finish(kept.key, {"lost": True, "why": _KEEPER_DIED})
        except OSError as error:
            print(f"exec {kept.key}: trying again: {error}", file=sys.stderr, flush=True)
            self._loop.after(1.0, lambda: self._finish_lost(kept))
            return
        self._ended(kept)

    def _ended(self, kept: _Kept) -> None:
        kept.running = False
        if kept.timer is not None:
            kept.timer.cancel()
        for connection in self._waiting.pop(kept.key, []):
            connection.send(json.dumps({"ended": kept.key}).encode())
        self._store.keep(kept.key)
        left_behind = [other for other in self._kept.values() if not other.running]
        if len(left_behind) > limits.EXECS_LEFT_BEHIND:
            left_behind[0].tell(exec_keeper.LEAVE)
        self._on_change()


def _refused(reason: str, why: str) -> dict[str, Any]:
    return {"refused": reason, "why": why}


def _encoded(texts: Iterable[Any]) -> list[bytes]:
    return [str(text).encode("utf-8", "surrogateescape") for text in texts]
