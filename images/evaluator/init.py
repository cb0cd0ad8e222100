"""Trusted start of one evaluation.

Starts referee and player as separate processes under separate users, watches them, and prints one JSON line:
the outcome. Nothing that the submission writes can become a part of it but the tail of its stderr, as a message.

The job's folder (argv[1]) holds job.json (for us alone), evaluator/ (for the referee) and submission/ (for the player).
"""

import fcntl
import hashlib
import hmac
import json
import math
import os
import random
import resource
import selectors
import signal
import sys
import time

PROGRAMS = os.path.dirname(os.path.abspath(__file__))
FROM_OTHER_FD, TO_OTHER_FD = 3, 4  # between referee and player: pipes take half a socket's time
RESULT_FD = 5  # referee -> us
GRACE_SECONDS = 10  # the referee keeps the job's own time limit; this is for a referee that is held up or hangs
STDERR_TAIL = 16 * 1024
MESSAGE_LIMIT = 4000
FILE_LIMIT = 64 * 1024 * 1024
REFEREE_MEMORY = 512 * 1024 * 1024
RESULT_LIMIT = 64 * 1024


def main():
    folder = os.path.abspath(sys.argv[1])
    with open(os.path.join(folder, "job.json"), encoding="utf-8") as file:
        job = json.load(file)
    pin_to_one_cpu()
    outcome = Evaluation(folder, job).run()
    sys.stdout.write(json.dumps(outcome) + "\n")
    sys.stdout.flush()


class Evaluation:
    def __init__(self, folder, job):
        self.folder = folder
        self.job = job
        self.users = job["users"] or {"referee": None, "player": None}
        self.children = {}  # pid -> wait status, None while it lives
        self.tails = {}  # role -> last bytes of its stderr
        self.selector = selectors.DefaultSelector()
        self.result = b""

    def run(self):
        player_reads, referee_writes = os.pipe()
        referee_reads, player_writes = os.pipe()
        result_read, result_write = os.pipe()
        order_read, order_write = os.pipe()
        os.write(order_write, json.dumps(self.referee_order()).encode())
        os.close(order_write)

        users = self.users
        hash_seed = derive(self.job["seed"], "hash") % 2**32
        self.player = self.start(
            "player",
            [os.path.join(PROGRAMS, "player.py")],
            os.path.join(self.folder, "submission"),
            users["player"],
            {FROM_OTHER_FD: player_reads, TO_OTHER_FD: player_writes},
            hash_seed,
            # The container's own cap stands above this one: it also covers children and shared memory.
            self.job["memoryMb"] * 1024 * 1024,
        )
        self.referee = self.start(
            "referee",
            [os.path.join(PROGRAMS, "referee_main.py")],
            os.path.join(self.folder, "evaluator"),
            users["referee"],
            {0: order_read, FROM_OTHER_FD: referee_reads, TO_OTHER_FD: referee_writes, RESULT_FD: result_write},
            0,
            REFEREE_MEMORY,
        )
        for fd in (result_write, order_read, player_reads, player_writes, referee_reads, referee_writes):
            os.close(fd)

        self.selector.register(result_read, selectors.EVENT_READ, "result")
        if self.job["lifeline"]:
            # Our stdin closes when the worker dies.
            self.selector.register(0, selectors.EVENT_READ, "lifeline")
        ended = self.watch(self.job["timeoutSeconds"] + GRACE_SECONDS)
        if not ended:
            # Perhaps the player's processes leave the referee no time. Without them an honest referee ends at once.
            self.kill_player()
            ended = self.watch(GRACE_SECONDS)
        try:
            return self.judge(ended)
        finally:
            self.end_children()

    def referee_order(self):
        return {
            "seed": "%064x" % derive(self.job["seed"], "referee"),
            "playerSeed": "%064x" % derive(self.job["seed"], "player"),
            "timeoutSeconds": self.job["timeoutSeconds"],
            "module": self.job["module"],
            "function": self.job["function"],
        }

    def start(self, role, program, cwd, user, fds, hash_seed, memory):
        stderr_read, stderr_write = os.pipe()
        pid = os.fork()
        if pid == 0:
            try:
                become(role, program, cwd, user, {0: None, 1: None, 2: stderr_write, **fds}, hash_seed, memory)
            except BaseException as error:
                os.write(2, ("cannot start the %s: %s\n" % (role, error)).encode())
            finally:
                os._exit(127)
        os.close(stderr_write)
        os.set_blocking(stderr_read, False)
        self.selector.register(stderr_read, selectors.EVENT_READ, role)
        self.tails[role] = b""
        self.children[pid] = None
        return pid

    def watch(self, seconds):
        """Wait for the referee's result, which is complete when it closes the pipe. False: it did not."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            for key, _ in self.selector.select(0.5):
                if key.data == "lifeline":
                    self.end_children()
                    os._exit(1)
                if key.data != "result":
                    self.read_stderr(key)
                    continue
                data = os.read(key.fd, 65536)
                self.result += data
                if not data or len(self.result) > RESULT_LIMIT:
                    self.selector.unregister(key.fd)
                    return True
            self.reap()
        return False

    def read_stderr(self, key):
        try:
            data = os.read(key.fd, 65536)
        except BlockingIOError:
            return
        if not data:
            self.selector.unregister(key.fd)
        self.tails[key.data] = (self.tails[key.data] + data)[-STDERR_TAIL:]

    def reap(self):
        """We adopt what the player leaves behind; zombies would use up the process limit."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid in self.children:
                self.children[pid] = status

    def judge(self, ended):
        try:
            result = json.loads(self.result, parse_constant=lambda name: name)
            outcome = result["outcome"]
        except (ValueError, TypeError, KeyError):
            return self.no_result(ended)
        if outcome == "ok":
            problem = metrics_problem(result.get("metrics"), self.job["metrics"])
            if problem:
                return self.evaluator_error(problem)
            return {"outcome": "ok", "metrics": {key: float(result["metrics"][key]) for key in self.job["metrics"]}}
        if outcome == "rejected":
            return {"outcome": "rejected", "message": self.rejection(result)}
        return self.evaluator_error(str(result.get("message", "the referee failed")))

    def no_result(self, ended):
        if not ended:
            return self.evaluator_error("the referee did not end in time")
        if self.wait_for(self.referee) == -signal.SIGKILL:
            # Nobody else may signal it, and its own memory is limited: the kernel made room for the player.
            return {"outcome": "rejected", "message": "The submission failed: " + self.too_much_memory()}
        return self.evaluator_error("the referee gave no result")

    def rejection(self, result):
        message = str(result.get("message", ""))
        if result.get("playerEnded"):
            message += self.how_player_ended()
        tail = self.player_stderr()
        limit = MESSAGE_LIMIT - len(message)
        if tail:
            message += "\n" + (tail if len(tail) <= limit else "[...]" + tail[-limit:])
        return message[: MESSAGE_LIMIT + 100]

    def how_player_ended(self):
        code = self.wait_for(self.player)
        if code is None:
            return ": it closed the channel to the referee"
        if code == -signal.SIGKILL:
            return ": " + self.too_much_memory()
        if code < 0:
            return ": it was ended by signal %d" % -code
        if code == 1 and self.tails["player"]:
            return ":"
        return ": its process ended with exit code %d" % code

    def too_much_memory(self):
        return "it was killed, probably for using too much memory (the limit is %d MB)" % self.job["memoryMb"]

    def wait_for(self, pid):
        """Exit code (or minus a signal) of a child that has just ended, or will in a moment; None if it lives on."""
        deadline = time.monotonic() + 2
        self.reap()
        while self.children[pid] is None and time.monotonic() < deadline:
            time.sleep(0.01)
            for key in list(self.selector.get_map().values()):
                if key.data in self.tails:
                    self.read_stderr(key)
            self.reap()
        status = self.children[pid]
        return None if status is None else os.waitstatus_to_exitcode(status)

    def player_stderr(self):
        for key in list(self.selector.get_map().values()):
            if key.data == "player":
                self.read_stderr(key)
        text = self.tails["player"].decode("utf-8", "replace").strip()
        return text.replace(os.path.join(self.folder, "submission") + os.sep, "")

    def evaluator_error(self, message):
        tail = self.tails["referee"].decode("utf-8", "replace").strip()
        return {"outcome": "evaluator_error", "message": (message + "\n" + tail).strip()[:MESSAGE_LIMIT]}

    def kill_player(self):
        user = self.users["player"]
        if user is None:
            self.kill_group(self.player)
            return
        # Needs no fork, and fork bombs cannot outrun it. The real user id must change too: kill(-1) also reaches its processes.
        os.setresuid(user["uid"], user["uid"], 0)
        try:
            os.kill(-1, signal.SIGKILL)
        except ProcessLookupError:
            pass
        finally:
            os.setresuid(0, 0, 0)

    def kill_group(self, pid):
        if self.children[pid] is not None:
            return
        for kill in (os.killpg, os.kill):
            try:
                kill(pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                pass

    def end_children(self):
        """In a process-id namespace our own end kills the rest; elsewhere this is the best that can be done."""
        self.kill_player()
        self.kill_group(self.referee)
        self.reap()


def become(role, program, cwd, user, fds, hash_seed, memory):
    """In the child: give up everything but the given descriptors, then run the program. Does not return."""
    os.setsid()
    null = os.open(os.devnull, os.O_RDWR)
    # First out of the way of the targets.
    spare = {to: fcntl.fcntl(null if fd is None else fd, fcntl.F_DUPFD_CLOEXEC, 64) for to, fd in fds.items()}
    for to, fd in spare.items():
        os.dup2(fd, to)
    # Not only ours: whoever started us may have left some open.
    os.closerange(max(fds) + 1, 65536)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_LIMIT, FILE_LIMIT))
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    if role == "player":
        raise_oom_score()
    if user is not None:
        os.setgroups([])
        os.setresgid(user["gid"], user["gid"], user["gid"])
        os.setresuid(user["uid"], user["uid"], user["uid"])
    os.umask(0o077)
    os.chdir(cwd)
    environment = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": "/tmp",
        "LANG": "C.UTF-8",
        "PYTHONHASHSEED": str(hash_seed),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    os.execve(sys.executable, [sys.executable, "-s", *program], environment)


def raise_oom_score():
    """When memory runs out, the player goes first."""
    try:
        with open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
            file.write("1000")
    except OSError:
        pass


def pin_to_one_cpu():
    """Referee and player take turns: on one CPU a move costs a tenth of what it costs on two."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {random.choice(sorted(os.sched_getaffinity(0)))})


def derive(seed, purpose):
    """Independent numbers from the job's seed: knowing one tells nothing of the others."""
    return int.from_bytes(hmac.new(bytes.fromhex(seed), purpose.encode(), hashlib.sha256).digest(), "big")


def metrics_problem(metrics, declared):
    if not isinstance(metrics, dict) or sorted(metrics) != sorted(declared):
        return "the referee's metrics are not the declared ones (%s)" % ", ".join(declared)
    for key, value in metrics.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            return "metric %s is not a finite number" % key
    return None


if __name__ == "__main__":
    main()
