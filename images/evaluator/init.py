"""Trusted start of one evaluation.

Starts referee and player as separate processes under separate users, watches them, and prints one
JSON line: the outcome. Nothing that the submission writes can become a part of it but the last
words of its stderr, as a message.

The job's folder (argv[1]) holds job.json (for us alone), evaluator/ (for the referee), submission/
(for the player, or for the referee where it is data), and where the task has them inputs/ (for
both) and player/ (for the player).
"""

from __future__ import annotations

import hashlib
import hmac
import json
import math
import os
import random
import selectors
import signal
import socket
import sys
from collections.abc import Callable
from typing import Any

PROGRAMS = os.path.dirname(os.path.abspath(__file__))
# Isolated mode leaves our own folder out.
sys.path.insert(0, PROGRAMS)

from children import FILE_LIMIT, Children, Pipe  # noqa: E402
from leftovers import remove_leftovers  # noqa: E402
from messages import MESSAGE_LIMIT, last_words, plain  # noqa: E402
from take_outputs import Refused, take_outputs  # noqa: E402

FROM_OTHER_FD, TO_OTHER_FD = 3, 4  # between referee and player: pipes take half a socket's time
RESULT_FD = 5  # referee -> us
RENEWAL_FD = 6  # referee asks us for another player, and gets its pipes
GRACE_SECONDS = (
    10  # the referee keeps the job's own time limit; this is for a referee that is held up or hangs
)
FAULT_LIMIT = 4000  # of an evaluator's error, for people alone
RESULT_LIMIT = 64 * 1024
MEGABYTE = 1024 * 1024

# {"outcome": "ok", "metrics": …}, or one of the others with a "message".
Outcome = dict[str, Any]


def main() -> None:
    folder = os.path.abspath(sys.argv[1])
    with open(os.path.join(folder, "job.json"), encoding="utf-8") as file:
        job = json.load(file)
    pin_to_one_cpu()
    kinds = {"game": Interactive, "questions": Interactive, "data": Data, "program": Program}
    outcome = kinds[job["evaluator"]["kind"]](folder, job).run()
    sys.stdout.write(json.dumps(outcome) + "\n")
    sys.stdout.flush()


class Evaluation:
    """Common to all kinds: the referee, and the judgement of what it says."""

    def __init__(self, folder: str, job: dict[str, Any]) -> None:
        self.folder = folder
        self.job = job
        self.spec: dict[str, Any] = job["evaluator"]
        self.children = Children(job["users"], job["lifeline"])

    def run(self) -> Outcome:
        try:
            return self.evaluate()
        finally:
            self.children.end_all()

    def evaluate(self) -> Outcome:
        raise NotImplementedError

    def start_referee(
        self, seconds: float, answers: str | None, fds: dict[int, int | None]
    ) -> Pipe:
        """The referee, and the pipe for its result.

        `answers`: the folder of files that it judges; None: it asks the player.
        """
        order = {
            "kind": self.spec["kind"],
            "split": self.job["split"],
            "seed": f"{derive(self.job['seed'], 'referee'):064x}",
            "playerSeed": f"{derive(self.job['seed'], 'player'):064x}",
            "timeoutSeconds": seconds,
            "module": self.spec.get("module"),
            "function": self.spec.get("function"),
            "answers": answers,
            "ownContainer": self.job.get("ownContainer", False),
            "playerPid": self.children.player,
            "inputs": os.path.join(self.folder, "inputs"),
        }
        result_read, result_write = os.pipe()
        order_read, order_write = os.pipe()
        os.write(order_write, json.dumps(order).encode())
        os.close(order_write)
        result = self.children.collect(result_read, RESULT_LIMIT)
        self.children.referee = self.children.start(
            "referee",
            [os.path.join(PROGRAMS, "referee_main.py")],
            os.path.join(self.folder, "evaluator"),
            {0: order_read, RESULT_FD: result_write, **fds},
            self.memory("refereeMemoryMb"),
        )
        for fd in (result_write, order_read):
            os.close(fd)
        return result

    def start_player(
        self, program: list[str], fds: dict[int, int | None], file_limit: int = FILE_LIMIT
    ) -> None:
        self.children.player = self.children.start(
            "player",
            program,
            os.path.join(self.folder, "submission"),
            fds,
            # The container's own cap stands above this one: it also covers children and shared
            # memory.
            self.memory("memoryMb"),
            derive(self.job["seed"], "hash") % 2**32,
            file_limit,
        )

    def memory(self, key: str) -> int:
        """Address space; CUDA reserves more than any machine has, so the container alone limits it."""
        return -1 if self.spec.get("gpu") is True else int(self.spec[key]) * MEGABYTE

    def watch(self, seconds: float, done: Callable[[], bool]) -> bool:
        return self.children.watch(seconds, done, self.job.get("ownContainer", False))

    def judge(self, result: Pipe) -> Outcome:
        """What the referee's result means. It is complete when it closes its pipe."""
        try:
            found = json.loads(bytes(result.data), parse_constant=lambda name: name)
            outcome = found["outcome"]
        except (ValueError, TypeError, KeyError, RecursionError):
            return self.no_result(result.complete)
        if outcome == "ok":
            problem = metrics_problem(found.get("metrics"), self.job["metrics"])
            if problem:
                return self.evaluator_error(problem)
            return {
                "outcome": "ok",
                "metrics": {key: float(found["metrics"][key]) for key in self.job["metrics"]},
            }
        if outcome == "rejected":
            return self.rejection(found)
        return self.evaluator_error(str(found.get("message", "the referee failed")))

    def rejection(self, found: dict[str, Any]) -> Outcome:
        return {
            "outcome": "rejected",
            "message": plain(str(found.get("message", "")), MESSAGE_LIMIT),
        }

    def no_result(self, in_time: bool) -> Outcome:
        return self.evaluator_error(
            "the referee gave no result" if in_time else "the referee did not end in time"
        )

    def evaluator_error(self, message: str) -> Outcome:
        message = message[: FAULT_LIMIT // 2]
        # Of a long traceback its end tells more than its beginning.
        said = self.children.stderr("referee")[-(FAULT_LIMIT - len(message)) :]
        return {"outcome": "evaluator_error", "message": f"{message}\n{said}".strip()}

    def with_stderr(self, message: str) -> Outcome:
        """A rejection that quotes the last words of what the submission wrote to stderr."""
        tail = self.children.stderr("player")
        for name in ("submission", "player"):
            tail = tail.replace(os.path.join(self.folder, name) + os.sep, "")
        lines = [plain(message, MESSAGE_LIMIT), last_words(tail)]
        return {"outcome": "rejected", "message": "\n".join(line for line in lines if line)}

    def how_player_ended(self) -> str:
        code = self.children.wait_for(self.children.player)
        if code is None:
            return ": it closed the channel to the referee"
        if code == -signal.SIGKILL:
            return ": " + self.too_much_memory()
        if code < 0:
            return f": it was ended by signal {-code}"
        if code == 1 and self.children.stderr("player"):
            return ":"
        return f": its process ended with exit code {code}"

    def too_much_memory(self) -> str:
        return f"it was killed, probably for using too much memory (the limit is {self.spec['memoryMb']} MB)"


class Interactive(Evaluation):
    """Referee and player live at the same time and speak over two pipes."""

    def evaluate(self) -> Outcome:
        ends = self.seat_player()
        ours, theirs = socket.socketpair()
        result = self.start_referee(
            self.spec["timeoutSeconds"],
            None,
            {FROM_OTHER_FD: ends[0], TO_OTHER_FD: ends[1], RENEWAL_FD: theirs.fileno()},
        )
        for fd in ends:
            os.close(fd)
        theirs.close()
        self.children.selector.register(ours, selectors.EVENT_READ, self.renew_player)
        if not self.watch(self.spec["timeoutSeconds"] + GRACE_SECONDS, lambda: result.complete):
            # Perhaps the player's processes leave the referee no time. Without them an honest
            # referee ends at once.
            self.children.kill_player()
            self.watch(GRACE_SECONDS, lambda: result.complete)
        return self.judge(result)

    def seat_player(self) -> tuple[int, int]:
        """Start the submission's process; the referee's ends of the two pipes to it."""
        player_reads, referee_writes = os.pipe()
        referee_reads, player_writes = os.pipe()
        self.start_player(
            [os.path.join(PROGRAMS, "player.py")],
            {FROM_OTHER_FD: player_reads, TO_OTHER_FD: player_writes},
        )
        for fd in (player_reads, player_writes):
            os.close(fd)
        return referee_reads, referee_writes

    def renew_player(self, key: selectors.SelectorKey) -> None:
        """The referee asks for a player that knows nothing of the last one: no process of it lives
        on, nor a file.
        """
        referee = key.fileobj
        assert isinstance(referee, socket.socket)
        if not referee.recv(1):
            self.children.selector.unregister(referee)
            return
        try:
            self.children.end_player()
            with self.children.as_player():
                remove_leftovers(self.children.player_uid(), self.job["outputFolder"])
        except (TimeoutError, OSError) as error:
            sys.stderr.write(f"the player cannot be renewed: {error}\n")
            # The referee sees the end of the line, and fails.
            self.children.selector.unregister(referee)
            referee.close()
            return
        ends = self.seat_player()
        socket.send_fds(referee, [b"p"], ends)
        for fd in ends:
            os.close(fd)

    def rejection(self, found: dict[str, Any]) -> Outcome:
        ended = self.how_player_ended() if found.get("playerEnded") else ""
        return {
            **self.with_stderr(str(found.get("message", "")) + ended),
            "starved": found.get("starved") is True,
        }

    def no_result(self, in_time: bool) -> Outcome:
        if in_time and self.children.wait_for(self.children.referee) == -signal.SIGKILL:
            # Nobody else may signal it, and its own memory is limited: the kernel made room for the
            # player.
            return {
                "outcome": "rejected",
                "message": "The submission failed: " + self.too_much_memory(),
            }
        return super().no_result(in_time)


class Data(Evaluation):
    """The submission is data: only the referee runs."""

    answers = "submission"

    def evaluate(self) -> Outcome:
        return self.score(self.spec["timeoutSeconds"])

    def score(self, seconds: float) -> Outcome:
        self.seconds = seconds
        result = self.start_referee(seconds, os.path.join(self.folder, self.answers), {})
        self.watch(seconds, lambda: result.complete)
        return self.judge(result)

    def no_result(self, in_time: bool) -> Outcome:
        """All that differs between evaluations is what was submitted: a referee that scores others
        has met its limits by that.
        """
        if not in_time:
            message = (
                f"The submission cannot be scored: to judge it takes longer than {self.seconds} s"
            )
            return {"outcome": "rejected", "message": message, "starved": self.children.starved}
        if self.children.wait_for(self.children.referee) == -signal.SIGKILL:
            message = "The submission cannot be scored: to judge it takes more memory than the evaluator has"
            return {"outcome": "rejected", "message": message}
        return super().no_result(in_time)


class Program(Data):
    """The player runs alone.

    Once all of it is dead, its outputs are copied, and the referee reads the copies.
    """

    answers = "outputs"

    def evaluate(self) -> Outcome:
        given = os.path.join(self.folder, "player", self.spec["script"])
        order = {
            "script": given
            if os.path.exists(given)
            else os.path.join(self.folder, "submission", self.spec["script"]),
            "inputs": os.path.join(self.folder, "inputs", self.job["split"]),
            "outputs": self.job["outputFolder"],
            "seed": f"{derive(self.job['seed'], 'player'):064x}",
        }
        limit = self.spec["outputMb"] * MEGABYTE
        self.start_player(
            [os.path.join(PROGRAMS, "program_player.py"), json.dumps(order)],
            {},
            max(limit, FILE_LIMIT),
        )
        seconds = self.spec["timeoutSeconds"]
        in_time = self.watch(seconds, lambda: self.children.ended(self.children.player))
        try:
            self.children.end_player()
        except TimeoutError as error:
            return self.evaluator_error(str(error))
        if not in_time:
            late = self.with_stderr(f"{self.spec['script']} took longer than {seconds} s")
            return {**late, "starved": self.children.starved}
        if self.children.wait_for(self.children.player) != 0:
            return self.with_stderr(f"{self.spec['script']} failed{self.how_player_ended()}")
        try:
            take_outputs(
                self.job["outputFolder"],
                os.path.join(self.folder, self.answers),
                self.spec["outputs"],
                limit,
                self.children.as_player,
            )
        except Refused as refused:
            return self.with_stderr(str(refused))
        return self.score(self.spec["refereeSeconds"])


def pin_to_one_cpu() -> None:
    """Referee and player take turns: on one CPU an answer costs a tenth of what it costs on two."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {random.choice(sorted(os.sched_getaffinity(0)))})


def derive(seed: str, purpose: str) -> int:
    """Independent numbers from the job's seed: knowing one tells nothing of the others."""
    return int.from_bytes(
        hmac.new(bytes.fromhex(seed), purpose.encode(), hashlib.sha256).digest(), "big"
    )


def metrics_problem(metrics: object, declared: list[str]) -> str | None:
    if not isinstance(metrics, dict) or sorted(metrics) != sorted(declared):
        return f"the referee's metrics are not the declared ones ({', '.join(declared)})"
    for key, value in metrics.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not finite(value):
            return f"metric {key} is not a finite number"
    return None


def finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer beyond all floats
        return False


if __name__ == "__main__":
    main()
