"""Runs commands by number, one at a time, and answers whoever asks about them.

Truth lies in the control directory; the socket only saves waiting. Whoever connects may hand over a
number again, wait for it, and go away: the command does not notice.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from typing import Any

from . import carried_state, limits, processes
from .carried_state import CarriedState
from .command import Command, Order
from .event_loop import EventLoop
from .execs import Execs
from .gpu_access import GpuAccess
from .gpus import Found, Gpus
from .line_server import Connection, LineServer
from .memory_kills import MemoryKills
from .memory_records import Memory
from .open_file import OpenFile
from .outcome import Outcome
from .prepared_shell import PreparedShell
from .requests import RequestChannel
from .settings import Settings
from .step_store import StepStore
from .workspace_watch import WorkspaceWatch

CONTROL_SOCKET = "sock"
RESTARTED = (
    "The sandbox was restarted while this command ran. Its processes are gone, what it had done to files by then remains, "
    "and the next command starts with the shell state from before this one."
)
GPUS_LOST = (
    "The host took the GPUs from this sandbox: the sandbox is restarted before the next command, with its files, and has them "
    "again. Processes in the background end."
)
NOT_STARTED = "The sandbox could not start a shell for this command: "


class Supervisor:
    """Expects to be started in the control directory."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._loop = EventLoop()
        self._store = StepStore()
        # Told by one outcome, with which it is written down: whoever asked may be dead before it
        # could tell.
        self._restarted = not self._store.is_new
        raw = self._store.load_state()
        self._carried: CarriedState | None = carried_state.parse(raw) if raw is not None else None
        self._current: Command | None = None
        self._waiting: dict[int, list[Connection]] = {}
        self._leftover_pipes: list[int] = []
        self._memory = Memory(self._store, os.path.dirname(settings.tools_socket))
        self._open_file = OpenFile(settings.home, settings.uid)
        self._gpus = Gpus(self._loop) if settings.has_gpus else None
        self._gpu_access = GpuAccess(settings.gpu_device) if settings.has_gpus else None
        self._memory_kills = MemoryKills() if settings.counts_memory_kills else None
        self._prepared = PreparedShell(self._loop, settings)
        self._watch: WorkspaceWatch | None = None
        if settings.workspace_bytes is not None:
            self._watch = WorkspaceWatch(
                self._loop,
                settings.watched_places,
                settings.workspace_bytes,
                self._workspace_is_full,
            )
        for n in self._store.unfinished():
            self._finish_lost(n)
        self._execs = Execs(self._loop, settings, self._store, self._watch_what_runs)
        self._requests = RequestChannel(
            self._loop,
            settings.tools_socket,
            self._memory,
            lambda: self._current,
            uid=settings.uid,
            on_asked=self._tell_asked,
        )
        # Last: whoever can connect finds everything in place.
        self._control = LineServer(
            self._loop,
            CONTROL_SOCKET,
            0o600,
            limits.REQUEST_BYTES,
            self._asked,
            limits.CONTROL_CONNECTIONS,
        )
        self._store.give_away(CONTROL_SOCKET)
        self._end_with_directory()
        self._loop.after(0, self._prepare)

    def _workspace_is_full(self) -> None:
        if self._current is not None:
            self._current.stop("workspace")
        self._execs.stop_all("workspace")

    def _watch_what_runs(self) -> None:
        if self._watch is None:
            return
        if self._current is not None or self._execs.running > 0:
            self._watch.command_began()
        else:
            self._watch.command_ended()

    def _prepare(self) -> None:
        if self._current is None:
            self._prepared.make(self._carried)

    def run_forever(self) -> None:
        self._loop.run_forever()

    def _end_with_directory(self) -> None:
        """Without its control directory nobody can reach the sandbox any more: on a plain host it
        would stay for ever.
        """
        if os.stat(".").st_nlink == 0:
            end_with_everything(self._settings)
        self._loop.after(limits.CONTROL_CHECK_SECONDS, self._end_with_directory)

    # -- clients

    def _asked(self, connection: Connection, line: bytes) -> None:
        try:
            request = json.loads(line)
            op = request["op"]
            if op == "ping":
                reply: dict[str, Any] | None = {
                    "ok": True,
                    "running": self._current.n if self._current else None,
                    "stopping": self._current is not None and self._current.is_stopping,
                }
            elif op == "submit":
                reply = self._submit(connection, request)
            elif op == "interrupt":
                if self._current is not None and self._current.n == int(request["n"]):
                    self._current.stop("interrupt")
                reply = {"ok": True}
            elif op == "waited":
                if self._current is not None and self._current.n == int(request["n"]):
                    self._current.time_limit.waited(
                        str(request["source"]),
                        float(request["seconds"]),
                        still=request.get("still") is True,
                    )
                reply = {"ok": True}
            elif op == "exec":
                reply = self._execs.ask(connection, request)
            elif op == "stopExec":
                self._execs.stop(str(request["key"]), "interrupt")
                reply = {"ok": True}
            elif op == "answer":
                self._requests.answer(int(request["number"]), str(request["text"]))
                reply = {"ok": True}
            elif op == "printed":
                running = self._current is not None and self._current.n == int(request["n"])
                reply = {
                    "ok": True,
                    "printed": self._current.printed() if self._current and running else "",
                }
            else:
                reply = {"error": "unknown operation"}
        except (ValueError, KeyError, TypeError) as error:
            reply = {"error": f"bad request: {error!r}"}
        except OSError as error:
            reply = {"error": f"the control directory cannot be written: {error.strerror}"}
        if reply is not None:
            connection.send(json.dumps(reply).encode())

    def _submit(self, connection: Connection, request: dict[str, Any]) -> dict[str, Any] | None:
        n, script, time_limit = (
            int(request["n"]),
            str(request["script"]),
            float(request["timeLimitSeconds"]),
        )
        silence_limit = (
            float(request["silenceLimitSeconds"]) if "silenceLimitSeconds" in request else None
        )
        if n < 0 or not time_limit > 0 or (silence_limit is not None and not silence_limit > 0):
            return {"error": "n must not be negative, limits must be positive"}
        if self._store.finished(n):
            return {"done": n}
        current = self._current
        if current is not None and current.n != n and not os.path.exists(f"steps/{n}"):
            return {"error": f"busy: command {current.n} is still running"}
        if current is None and self._gpu_access is not None and self._gpu_access.lost():
            # The worker restarts the sandbox and hands the command over again.
            self._gpu_access.note()
            end_with_everything(self._settings)
        claimed = self._store.claim(n)
        self._waiting.setdefault(n, []).append(connection)
        if claimed:
            live = request.get("live") is True
            self._start(Order(n, script, time_limit, silence_limit, live))
        self._tell_asked()
        return None

    def _tell_asked(self) -> None:
        """Notifies the clients that wait for a program: it waits for a validation."""
        number, current = self._requests.asked, self._current
        if number is None or current is None:
            return
        for connection in self._waiting.pop(current.n, []):
            connection.send(json.dumps({"asked": number}).encode())

    # -- commands

    def _start(self, order: Order) -> None:
        if self._watch is not None:
            self._watch.command_began()
        try:
            self._current = Command(
                self._loop,
                self._settings,
                order,
                carried=self._carried,
                prepared=self._prepared.take(self._carried),
                keepers=lambda: self._execs.keepers,
                on_started=lambda pid, started: self._store.started(
                    order.n,
                    {
                        "pid": pid,
                        "started": started,
                        "timeLimitSeconds": order.time_limit,
                        "script": order.script,
                    },
                ),
                on_end=self._command_ended,
            )
        except OSError as error:
            self._current = None
            self._watch_what_runs()
            self._finish(self._lost(order.n, f"{NOT_STARTED}{error.strerror}.", None))

    @property
    def _working_dir(self) -> str:
        return self._carried.display_dir if self._carried is not None else self._settings.workspace

    def _command_ended(self, command: Command) -> None:
        self._keep_open(command.take_output_pipe())
        changed = command.next_state is not self._carried
        self._carried = command.next_state
        outcome = command.outcome()
        if self._memory_kills is not None:
            outcome.memory_kills = self._memory_kills.since_last()
        if changed:
            try:
                self._store.save_state(self._carried.raw if self._carried is not None else None)
            except OSError as error:
                print(f"the shell's state could not be saved: {error}", file=sys.stderr, flush=True)
        self._current = None
        if self._watch is not None:
            outcome.notice = " ".join(filter(None, (outcome.notice, self._watch.notice()))) or None
            self._watch_what_runs()
        self._answer(outcome)
        # After the answer, and whatever came with it.
        self._loop.after(0, self._prepare)

    def _answer(self, outcome: Outcome) -> None:
        if self._gpus is None:
            self._finish(outcome)
            return
        if self._gpu_access is not None and self._gpu_access.lost():
            outcome.notice = " ".join(filter(None, (outcome.notice, GPUS_LOST)))

        def finish(found: Found) -> None:
            outcome.gpus = found
            self._finish(outcome)

        self._gpus.read(finish)

    def _finish(self, outcome: Outcome) -> None:
        n = outcome.n
        outcome.open_file = self._open_file.read()
        outcome.memories = self._memory.of_step(n)
        outcome.restarted = outcome.restarted or self._restarted
        outcome.gpus_lost = self._gpu_access is not None and self._gpu_access.noted()
        try:
            self._store.finish(n, outcome.to_json())
        except OSError as error:
            # A full disk must not cost an outcome: whoever waits goes on waiting.
            print(
                f"outcome {n} could not be written, trying again: {error}",
                file=sys.stderr,
                flush=True,
            )
            self._loop.after(1.0, lambda: self._finish(outcome))
            return
        self._restarted = False
        if self._gpu_access is not None:
            self._gpu_access.forget()
        for connection in self._waiting.pop(n, []):
            connection.send(json.dumps({"done": n}).encode())

    def _finish_lost(self, n: int) -> None:
        """Step n was cut off with an earlier supervisor, which may have left its processes behind
        (local backend).
        """
        recorded = self._store.process(n)
        if recorded is not None:
            pid, started = recorded
            leader = processes.read(pid)
            if leader is None or leader.started == started:
                for process in processes.all_processes():
                    if process.session == pid and process.started >= started:
                        processes.send(process.pid, signal.SIGKILL)
        self._finish(self._lost(n, RESTARTED, recorded[0] if recorded else None))

    def _lost(self, n: int, notice: str, pid: int | None) -> Outcome:
        """For a step that was claimed and whose end nobody saw."""
        return Outcome(n=n, working_dir=self._working_dir, pid=pid, lost=True, notice=notice)

    # -- output of background processes, which nobody reads any more but which must not block or
    # kill them

    def _keep_open(self, pipe: int | None) -> None:
        if pipe is None:
            return
        self._leftover_pipes.append(pipe)
        self._loop.watch(pipe, lambda: self._discard(pipe))
        if len(self._leftover_pipes) > limits.OPEN_LEFTOVER_PIPES:
            self._close_leftover(self._leftover_pipes[0])

    def _discard(self, pipe: int) -> None:
        try:
            if not os.read(pipe, 1024 * 1024):
                self._close_leftover(pipe)
        except BlockingIOError:
            pass

    def _close_leftover(self, pipe: int) -> None:
        self._leftover_pipes.remove(pipe)
        self._loop.unwatch(pipe)
        os.close(pipe)


def end_with_everything(settings: Settings) -> None:
    """On SIGTERM: the sandbox stops, and nothing of the agent's goes on.

    Steps without outcome are lost, and say so later.
    """
    for _ in range(50):
        if settings.uid is not None and settings.uid_is_ours_alone:
            processes.kill_all_of(settings.uid)
        ours = processes.descendants(os.getpid())
        if not ours:
            break
        for process in ours:
            processes.send(process.pid, signal.SIGKILL)
        time.sleep(0.01)
    os._exit(0)
