"""The next command's shell, made ahead: while the agent thinks, a bash starts and restores its
state.

It is the agent's, so it may be killed or hang at any time. Then it is missing, and the command gets
one made for it.
"""

from __future__ import annotations

import signal
import sys

from . import limits, processes, shell_process
from .carried_state import CarriedState
from .event_loop import EventLoop, Timer
from .settings import Settings
from .shell_process import ShellProcess


class PreparedShell:
    def __init__(self, loop: EventLoop, settings: Settings) -> None:
        self._loop = loop
        self._settings = settings
        self._shell: ShellProcess | None = None
        self._timer: Timer | None = None

    def make(self, carried: CarriedState | None) -> None:
        self.drop()
        try:
            shell = shell_process.spawn(self._settings, carried)
        except OSError as error:
            # The agent's processes may fill the process table: not our concern before there is a
            # command.
            print(f"no shell could be prepared: {error}", file=sys.stderr, flush=True)
            return
        self._shell = shell
        self._loop.on_exit(shell.pid, lambda _: self._ended(shell))
        self._timer = self._loop.after(limits.READY_SECONDS, lambda: self._check(shell))

    def take(self, carried: CarriedState | None) -> ShellProcess | None:
        """The shell that waits with this state, if there is one; whoever takes it hands a command
        over.
        """
        shell = self._shell
        if shell is None or shell.carried is not carried:
            self.drop()
            return None
        self._release()
        return shell

    def drop(self) -> None:
        shell = self._shell
        if shell is None:
            return
        self._release()
        # The shell may hang: its end, which nobody waits for, must not depend on it.
        self._kill(shell)
        shell.abandon()

    def _release(self) -> None:
        self._shell = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _ended(self, shell: ShellProcess) -> None:
        if shell is self._shell:
            self._release()
            shell.abandon()

    def _check(self, shell: ShellProcess) -> None:
        """Not before a command comes, but then for good, is it seen why it hangs."""
        if shell is self._shell and not shell.waits():
            self._kill(shell)

    def _kill(self, shell: ShellProcess) -> None:
        for process in processes.descendants(shell.pid):
            processes.send(process.pid, signal.SIGKILL)
        processes.send(shell.pid, signal.SIGKILL)
