"""One command: from its handover to its outcome."""

from __future__ import annotations

import errno
import os
import signal
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial

from . import carried_state, limits, processes, shell_process
from .bounded_output import BoundedOutput
from .carried_state import CarriedState
from .event_loop import EventLoop, Timer, guarded
from .outcome import Outcome
from .processes import Process
from .settings import Settings
from .shell_process import ShellProcess
from .time_limit import TimeLimit

# For reading output: one for all, as only one command runs at a time.
_BUFFER = bytearray(1024 * 1024)
# Room for those of carried_state before the state itself.
_MARKS_BYTES = 64

NOT_SAVED = "The shell ended without saving its state (through exec, a kill, or a trap of its own)"
REFUSED = (
    "The shell state carried from earlier commands could not be restored and was dropped: "
    "this command ran in a fresh shell."
)
TABLE_FULL = "No process could be started"
FILLED = "The command wrote more than the limit on the size of all files allows"
TREE_LEFT = "The command's processes could not be killed one by one"


@dataclass(frozen=True)
class Order:
    """A command as it was handed over."""

    n: int
    script: str
    # Seconds; the latter without output.
    time_limit: float
    silence_limit: float | None
    # A program that plays by itself: what it asks for is answered while it runs.
    live: bool = False


class Command:
    """Runs in the prepared shell, where there is one that has the carried state."""

    def __init__(
        self,
        loop: EventLoop,
        settings: Settings,
        order: Order,
        *,
        carried: CarriedState | None,
        prepared: ShellProcess | None,
        keepers: Callable[[], Collection[int]],
        on_started: Callable[[int, int], None],
        on_end: Callable[[Command], None],
    ) -> None:
        self.n = order.n
        self.live = order.live
        self.requested: str | None = None
        self.carried = carried
        self.pid: int | None = None
        self._loop = loop
        self._settings = settings
        self._script = order.script
        self._time_limit = order.time_limit
        self._silence_limit = order.silence_limit
        # What they keep are execs, no part of any command.
        self._keepers = keepers
        self._on_started = on_started
        self._on_end = on_end
        self._notices: list[str] = []
        self._state_reset = False
        self._stopped_by: str | None = None
        self._timers: list[Timer] = []
        self._ended = False
        self._status: int | None = None
        self._begun = time.monotonic()
        self._ms = 0
        self._state = b""
        self._gone_by: float | None = None
        self._saved: CarriedState | None = None
        self._start_shell(prepared)

    # -- start

    def _start_shell(self, prepared: ShellProcess | None = None) -> None:
        self._output = BoundedOutput(limits.OUTPUT_HEAD_BYTES, limits.OUTPUT_TAIL_BYTES)
        self._ready = False
        self._status = None
        self._moved = False
        self._was_prepared = prepared is not None
        self._refused = False
        shell = prepared if prepared is not None else self._spawn()
        self.pid = shell.pid
        # Its own beginning may lie before that of processes which earlier commands left behind.
        self._started = processes.now()
        shell.hand_over(self._script)
        self._output_pipe: int | None = shell.output
        self._state_file: int | None = shell.state
        self._loop.on_exit(shell.pid, self._shell_ended)
        self._loop.watch(shell.output, self._read_output)
        if self.carried is not None:
            self._set_timer(limits.READY_SECONDS, self._not_ready)
        self.time_limit = TimeLimit(
            self._time_limit, self._loop.after, lambda: self.stop("time"), self._loop.now
        )
        self._last_output = time.monotonic()
        if self._silence_limit is not None:
            self._set_timer(self._silence_limit, self._still_silent)
        guarded(lambda: self._on_started(shell.pid, shell.started))

    def _spawn(self) -> ShellProcess:
        try:
            return shell_process.spawn(self._settings, self.carried)
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.ENOMEM):
                raise
            # The agent's processes fill the process table, or the memory.
            self._kill_everything(TABLE_FULL)
            time.sleep(0.05)
            return shell_process.spawn(self._settings, self.carried)

    def _set_timer(self, seconds: float, handler: Callable[[], None]) -> None:
        self._timers.append(self._loop.after(seconds, handler))

    def _cancel_timers(self) -> None:
        self.time_limit.cancel()
        for timer in self._timers:
            timer.cancel()
        self._timers = []

    # -- what the shell writes

    def _read_output(self) -> None:
        if self._output_pipe is None:
            return
        try:
            size = os.readv(self._output_pipe, [_BUFFER])
        except BlockingIOError:
            return
        if size > 0:
            self._output.add(memoryview(_BUFFER)[:size])
            if self._silence_limit is not None:
                self._last_output = time.monotonic()
            return
        self._loop.unwatch(self._output_pipe)
        os.close(self._output_pipe)
        self._output_pipe = None
        if self._status is not None and self._stopped_by is None:
            self._end()

    def _read_state(self) -> bytes:
        """What the shell has saved. Before it ends that is only how far it has come."""
        if self._state_file is None:
            return b""
        size = min(os.fstat(self._state_file).st_size, limits.STATE_BYTES + _MARKS_BYTES)
        raw = os.pread(self._state_file, size, 0)
        for mark in (carried_state.MOVED, carried_state.WAITING, carried_state.READY):
            if not raw.startswith(mark + b"\0"):
                continue
            raw = raw[len(mark) + 1 :]
            self._moved = self._moved or mark == carried_state.MOVED
            self._ready = self._ready or mark == carried_state.READY
        return raw

    def _close_state(self) -> None:
        if self._state_file is not None:
            os.close(self._state_file)
            self._state_file = None

    def _not_ready(self) -> None:
        self._read_state()
        if not self._ready and self._status is None:
            self._refused = True
            self._kill_tree()

    def _still_silent(self) -> None:
        if self._silence_limit is None:
            return
        silent = time.monotonic() - self._last_output
        if silent >= self._silence_limit:
            self.stop("silence")
        else:
            self._set_timer(self._silence_limit - silent, self._still_silent)

    # -- stopping

    def stop(self, reason: str) -> None:
        """`time`, `silence` or `interrupt`: signal the process tree, then escalate.

        `workspace`: no time for that.
        """
        if self._stopped_by is not None or self._status is not None:
            return
        self._stopped_by = reason
        if reason == "workspace":
            # It may as well have been something in the background.
            self._kill_everything(FILLED)
            return
        for name, seconds in (
            limits.INTERRUPT_SIGNALS if reason == "interrupt" else limits.TIMEOUT_SIGNALS
        ):
            if name == "SIGKILL":
                self._set_timer(seconds, self._kill_tree)
            elif seconds == 0:
                self._signal_tree(getattr(signal, name))
            else:
                self._set_timer(seconds, partial(self._signal_tree, getattr(signal, name)))

    def _tree(self) -> list[Process]:
        """This command's processes: its session, its descendants, and daemons that it set free.

        A process that is no relative any more is counted if it began after this command, and so did
        all of its session.
        """
        if self.pid is None:
            return []
        ours = processes.descendants(os.getpid(), self._keepers())
        of_shell = {process.pid for process in processes.descendants(self.pid)}
        older = {process.session for process in ours if process.started < self._started}
        return [
            process
            for process in ours
            if process.session == self.pid
            or process.pid in of_shell
            or (process.started >= self._started and process.session not in older)
        ]

    def _signal_tree(self, number: int) -> None:
        for process in self._tree():
            processes.send(process.pid, number)

    def _kill_tree(self) -> None:
        if not processes.kill_found(self._tree):
            # Something forks faster than it can be counted.
            self._kill_everything(TREE_LEFT)

    def _kill_everything(self, why: str) -> None:
        self._notices.append(
            f"{why}: everything that was running in the background has been killed."
        )
        if self._settings.uid is not None and self._settings.uid_is_ours_alone:
            processes.kill_all_of(self._settings.uid)
            return
        keepers = self._keepers()
        processes.kill_found(
            lambda: [p for p in processes.descendants(os.getpid()) if p.pid not in keepers]
        )

    # -- end

    def _shell_ended(self, status: int) -> None:
        self._ms = round((time.monotonic() - self._begun) * 1000)
        self._state = self._read_state()
        self._close_state()
        if not self._ready and self._stopped_by is None:
            if self._was_prepared and not self._refused:
                self._start_again()
                return
            if self.carried is not None:
                self._start_again_afresh()
                return
        self._status = status
        if self._stopped_by is not None:
            self._until_tree_is_gone()
            return
        self._cancel_timers()
        self._read_what_is_left()
        if self._output_pipe is None:
            self._end()
        else:
            # Held open by what runs on in the background.
            self._set_timer(limits.DRAIN_SECONDS, self._end)

    def _start_again(self) -> None:
        """The command has not begun: its shell was killed while it waited."""
        self._cancel_timers()
        self._drop_output()
        self._start_shell()

    def _start_again_afresh(self) -> None:
        """The command has not begun: the carried state kept its shell from reporting ready."""
        self._cancel_timers()
        self._kill_tree()
        self._drop_output()
        self.carried = None
        self._state_reset = True
        self._notices.append(REFUSED)
        self._start_shell()

    def _drop_output(self) -> None:
        if self._output_pipe is not None:
            self._loop.unwatch(self._output_pipe)
            os.close(self._output_pipe)
            self._output_pipe = None

    def _until_tree_is_gone(self) -> None:
        """The shell has gone at the first signal; its children have until the last one to do the
        same.
        """
        self._gone_by = self._gone_by or time.monotonic() + limits.GONE_SECONDS
        if self._tree() and time.monotonic() < self._gone_by:
            self._set_timer(0.05, self._until_tree_is_gone)
        else:
            self._read_what_is_left()
            self._end()

    def _read_what_is_left(self) -> None:
        """Whatever the pipe held when the shell ended; bounded, since others may still be writing."""
        for _ in range(64):
            before = self._output.total
            self._read_output()
            if self._output_pipe is None or self._output.total == before:
                return

    def _end(self) -> None:
        if self._ended:
            return
        self._ended = True
        self._cancel_timers()
        if self._moved and self.carried is not None:
            gone = self.carried.display_dir
            self._notices.append(
                f"The working directory {gone} could not be entered: the command ran elsewhere."
            )
        if self._ready and len(self._state) <= limits.STATE_BYTES:
            self._saved = carried_state.parse(self._state)
        if not self._ready and self.carried is not None:
            self.carried = None
            self._state_reset = True
            self._notices.append(REFUSED)
        elif self._saved is None and self.carried is None:
            self._state_reset = True
            self._notices.append(f"{NOT_SAVED}: the next command starts in a fresh shell.")
        elif self._saved is None:
            self._notices.append(
                f"{NOT_SAVED}: the next command starts with the state from before this one."
            )
        self._state = b""
        self._on_end(self)

    @property
    def next_state(self) -> CarriedState | None:
        return self._saved if self._saved is not None else self.carried

    def take_output_pipe(self) -> int | None:
        """The pipe that background processes still write to, if any; whoever takes it must read or
        close it.
        """
        pipe, self._output_pipe = self._output_pipe, None
        if pipe is not None:
            self._loop.unwatch(pipe)
        return pipe

    @property
    def is_stopping(self) -> bool:
        return self._stopped_by is not None

    def printed(self) -> str:
        """So far: its end, as far as an outcome would show it."""
        return self._output.text()[-limits.PRINTED_CHARACTERS :]

    def outcome(self) -> Outcome:
        status = self._status if self._status is not None else 0
        code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)
        state = self.next_state
        return Outcome(
            n=self.n,
            working_dir=state.display_dir if state is not None else self._settings.workspace,
            pid=self.pid,
            exit_code=code,
            stopped_by=self._stopped_by,
            output=self._output.text(),
            output_bytes=self._output.total,
            state_reset=self._state_reset,
            notice=" ".join(self._notices) or None,
            requested=self.requested,
            ms=self._ms,
        )
