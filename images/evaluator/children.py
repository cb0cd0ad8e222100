"""The processes of one evaluation: started under users of their own, watched, and ended for
certain.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import resource
import selectors
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from typing import NoReturn, TypedDict

from bench_tasks.fair_clock import FairClock

import forbidden_calls

STDERR_TAIL = 16 * 1024
FILE_LIMIT = 64 * 1024 * 1024
END_SECONDS = 10
# Where GPUs and their libraries are; set where the evaluation has GPUs.
GPU_VARIABLES = ("CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES", "LD_LIBRARY_PATH")


class User(TypedDict):
    """Of the host, or of the container."""

    uid: int
    gid: int


class Children:
    """The referee and the player, with what they leave behind."""

    def __init__(self, users: dict[str, User | None] | None, lifeline: bool) -> None:
        self.users: dict[str, User | None] = users or {"referee": None, "player": None}
        # pid -> wait status, None while it lives
        self.status: dict[int, int | None] = {}
        # role -> last bytes of its stderr
        self.tails: dict[str, bytes] = {}
        self.selector = selectors.DefaultSelector()
        self.starved = False  # the last time limit was met because the machine was short of CPU
        # Process ids; 0: not started.
        self.player = self.referee = 0
        become_subreaper()
        if lifeline:
            # Our stdin closes when the worker dies.
            self.selector.register(0, selectors.EVENT_READ, self.worker_died)

    def start(
        self,
        role: str,
        program: list[str],
        cwd: str,
        fds: Mapping[int, int | None],
        memory: int,
        hash_seed: int = 0,
        file_limit: int = FILE_LIMIT,
    ) -> int:
        """Run a program as the role's user; its stderr is kept, at its end."""
        user = self.users["referee" if role == "referee" else "player"]
        stderr_read, stderr_write = os.pipe()
        pid = os.fork()
        if pid == 0:
            try:
                become(
                    role,
                    program,
                    cwd,
                    user,
                    {0: None, 1: None, 2: stderr_write, **fds},
                    hash_seed,
                    memory,
                    file_limit,
                )
            except BaseException as error:
                os.write(2, (f"cannot start the {role}: {error}\n").encode())
            finally:
                os._exit(127)
        os.close(stderr_write)
        os.set_blocking(stderr_read, False)
        self.selector.register(stderr_read, selectors.EVENT_READ, role)
        self.tails[role] = b""
        self.status[pid] = None
        return pid

    def collect(self, fd: int, limit: int) -> Pipe:
        """Keep what arrives at the descriptor; `complete` once it is closed there, or more than the
        limit came.
        """
        pipe = Pipe(limit)

        def read(key: selectors.SelectorKey) -> None:
            data = os.read(key.fd, 65536)
            pipe.data += data
            if not data or len(pipe.data) > limit:
                self.selector.unregister(key.fd)
                pipe.complete = True

        self.selector.register(fd, selectors.EVENT_READ, read)
        return pipe

    def watch(self, seconds: float, done: Callable[[], bool], own_container: bool = False) -> bool:
        """Attend to everybody until `done()` holds.

        False: it did not in time, of which waiting for a CPU is no part.
        """
        deadline = time.monotonic() + seconds
        clock = FairClock([self.player, self.referee], own_container)
        while not done():
            if time.monotonic() >= deadline and clock.seconds() >= seconds:
                self.starved = clock.starved(seconds)
                return False
            for key, _ in self.selector.select(0.1):
                key.data(key) if callable(key.data) else self.read_stderr(key)
            self.reap()
        return True

    def worker_died(self, _: object) -> None:
        self.end_all()
        os._exit(1)

    def read_stderr(self, key: selectors.SelectorKey) -> None:
        try:
            data = os.read(key.fd, 65536)
        except BlockingIOError:
            return
        if not data:
            self.selector.unregister(key.fd)
        self.tails[key.data] = (self.tails[key.data] + data)[-STDERR_TAIL:]

    def reap(self) -> None:
        """We adopt what the player leaves behind; zombies would use up the process limit."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid in self.status:
                self.status[pid] = status

    def ended(self, pid: int) -> bool:
        return self.status[pid] is not None

    def wait_for(self, pid: int) -> int | None:
        """Exit code (or minus a signal) of a child that has just ended, or will in a moment; None
        if it lives on.
        """
        deadline = time.monotonic() + 2
        self.reap()
        while self.status[pid] is None and time.monotonic() < deadline:
            time.sleep(0.01)
            for key in list(self.selector.get_map().values()):
                if key.data in self.tails:
                    self.read_stderr(key)
            self.reap()
        status = self.status[pid]
        return None if status is None else os.waitstatus_to_exitcode(status)

    def stderr(self, role: str) -> str:
        """The end of what the role wrote, as text."""
        for key in list(self.selector.get_map().values()):
            if key.data == role:
                self.read_stderr(key)
        return self.tails.get(role, b"").decode("utf-8", "replace").strip()

    def kill_player(self) -> None:
        """Kill each process of the player's user at once."""
        user = self.users["player"]
        if user is None:
            self.kill_group(self.player)
            return
        # Needs no fork, and fork bombs cannot outrun it. The real user id must change too: kill(-1)
        # also reaches its processes.
        os.setresuid(user["uid"], user["uid"], 0)
        try:
            os.kill(-1, signal.SIGKILL)
        except ProcessLookupError:
            pass
        finally:
            os.setresuid(0, 0, 0)

    def player_lives(self) -> bool:
        """Whether a process of the player's user is not dead yet."""
        user = self.users["player"]
        return not self.ended(self.player) if user is None else any_process_of(user["uid"])

    def player_uid(self) -> int | None:
        """None: the player has no user of its own."""
        user = self.users["player"]
        return None if user is None else user["uid"]

    @contextlib.contextmanager
    def as_player(self) -> Iterator[None]:
        """Open what the player may open, and no more. Only while none of its processes lives."""
        user = self.users["player"]
        if user is None:
            yield
            return
        os.seteuid(user["uid"])
        try:
            yield
        finally:
            os.seteuid(0)

    def end_player(self) -> None:
        """Nothing of the player lives on: what it wrote is at rest. Raises TimeoutError."""
        deadline = time.monotonic() + END_SECONDS
        self.kill_player()
        self.reap()
        while self.player_lives():
            if time.monotonic() > deadline:
                raise TimeoutError("processes of the submission could not be ended")
            time.sleep(0.005)
            self.kill_player()
            self.reap()

    def kill_group(self, pid: int) -> None:
        if self.status[pid] is not None:
            return
        for kill in (os.killpg, os.kill):
            try:
                kill(pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                pass

    def end_all(self) -> None:
        """In a process-id namespace our own end kills the rest; elsewhere this is the best that can
        be done.
        """
        if self.player:
            self.kill_player()
        if self.referee:
            self.kill_group(self.referee)
        self.reap()


class Pipe:
    """What arrives at a descriptor."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.data = bytearray()
        self.complete = False


def become(
    role: str,
    program: list[str],
    cwd: str,
    user: User | None,
    fds: Mapping[int, int | None],
    hash_seed: int,
    memory: int,
    file_limit: int,
) -> NoReturn:
    """In the child: give up everything but the given descriptors, then run the program.

    Does not return.
    """
    os.setsid()
    null = os.open(os.devnull, os.O_RDWR)
    # First out of the way of the targets.
    spare = {
        to: fcntl.fcntl(null if fd is None else fd, fcntl.F_DUPFD_CLOEXEC, 64)
        for to, fd in fds.items()
    }
    for to, fd in spare.items():
        os.dup2(fd, to)
    # Not only ours: whoever started us may have left some open.
    os.closerange(max(fds) + 1, 65536)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (file_limit, file_limit))
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    if role == "player":
        raise_oom_score()
    if user is not None:
        os.setgroups([])
        os.setresgid(user["gid"], user["gid"], user["gid"])
        os.setresuid(user["uid"], user["uid"], user["uid"])
    if role == "player":
        forbidden_calls.forbid()
    os.umask(0o077)
    os.chdir(cwd)
    environment = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": "/tmp",
        "LANG": "C.UTF-8",
        "PYTHONHASHSEED": str(hash_seed),
        "PYTHONDONTWRITEBYTECODE": "1",
        # There is one CPU; each further thread would only cost memory.
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
    }
    if "CUDA_VISIBLE_DEVICES" in os.environ:
        environment |= {name: os.environ[name] for name in GPU_VARIABLES if name in os.environ}
    os.execve(sys.executable, [sys.executable, "-s", *program], environment)


def raise_oom_score() -> None:
    """When memory runs out, the player goes first."""
    try:
        with open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
            file.write("1000")
    except OSError:
        pass


def any_process_of(uid: int) -> bool:
    """Zombies do not count: they write nothing more."""
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/status", encoding="utf-8", errors="replace") as file:
                status = dict(line.split(":", 1) for line in file if ":" in line)
        except OSError:
            continue
        if str(uid) in status.get("Uid", "").split() and status.get("State", "").strip()[
            :1
        ] not in ("Z", "X"):
            return True
    return False


def become_subreaper() -> None:
    """Where we are not process 1: what the player leaves behind becomes our child, so that we see
    it end.
    """
    try:
        import ctypes

        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
    except (ImportError, OSError, AttributeError):
        pass
