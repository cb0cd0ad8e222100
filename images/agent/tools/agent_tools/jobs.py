"""start_job, job_output, stop_job: scripts in the background of the sandbox.

A job is a folder `$HOME/.bench/jobs/<number>`. Its keeper, a process of its own session, holds a
lock on it, keeps its newest output, and writes its exit code; a job without code and lock is lost.
"""

from __future__ import annotations

import fcntl
import os
import select
import signal
import subprocess
import time

from . import place
from .editor import number
from .failure import Failure, UsageError

_SECONDS = "AGENT_JOB_SECONDS"
# The newest output: this file, and the one before it.
_PART_BYTES = 8 * 1024 * 1024
_SHOWN_BYTES = 16 * 1024
_LONGEST_WAIT = 24 * 3600
_PAUSE = 0.2
_GRACE = 5.0


def start_job(arguments: list[str]) -> None:
    if len(arguments) != 1 or arguments[0].strip() == "":
        raise UsageError()
    job = _claim()
    folder = _folder(job)
    _put(folder, "script", arguments[0])
    ready, begun = os.pipe()
    if os.fork() == 0:
        # Whatever happens, nothing of this command goes on in the keeper.
        try:
            os.close(ready)
            _keep(folder, arguments[0], begun)
        finally:
            os._exit(1)
    os.close(begun)
    # The keeper holds its lock, so the job can no longer be taken for lost.
    os.read(ready, 1)
    print(f"Job {job} has started. job_output {job} shows its output, stop_job {job} ends it.")


def job_output(arguments: list[str]) -> None:
    words = [word for word in arguments if word != ""]
    if len(words) > 2:
        raise UsageError()
    if not words:
        _list()
        return
    folder = _found(words[0])
    seconds = number(words[1]) if len(words) == 2 else 0
    if seconds is None:
        raise UsageError("Error: wait_seconds must be a number")
    until = time.monotonic() + min(seconds, _LONGEST_WAIT)
    while _is_running(folder) and time.monotonic() < until:
        time.sleep(_PAUSE)
    # Before the output, which may grow meanwhile.
    state = _state(folder)
    print(f"Job {words[0]}: {state}.")
    _print_output(folder)


def stop_job(arguments: list[str]) -> None:
    if len(arguments) != 1:
        raise UsageError()
    folder = _found(arguments[0])
    if _is_running(folder):
        _put(folder, "stop", "")
        until = time.monotonic() + 2 * _GRACE
        while _is_running(folder) and time.monotonic() < until:
            time.sleep(_PAUSE / 4)
    print(f"Job {arguments[0]}: {_state(folder)}.")


def _jobs() -> str:
    return os.path.join(place.state_dir(), "jobs")


def _folder(job: int) -> str:
    return os.path.join(_jobs(), str(job))


def _claim() -> int:
    os.makedirs(_jobs(), mode=0o700, exist_ok=True)
    job = max((int(name) for name in os.listdir(_jobs()) if name.isdigit()), default=0) + 1
    while True:
        try:
            os.mkdir(_folder(job), 0o700)
            return job
        except FileExistsError:
            job += 1


def _found(word: str) -> str:
    job = number(word)
    if job is None:
        raise UsageError("Error: <job> must be a number")
    if not os.path.isdir(_folder(job)):
        raise Failure(f"Error: there is no job {job}. job_output lists all jobs.")
    return _folder(job)


def _put(folder: str, name: str, text: str) -> None:
    temporary = os.path.join(folder, f"{name}.tmp")
    with open(temporary, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)
    os.rename(temporary, os.path.join(folder, name))


def _read(folder: str, name: str) -> str | None:
    try:
        with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
            return file.read(4096)
    except OSError:
        return None


def _is_running(folder: str) -> bool:
    if _read(folder, "exit") is not None:
        return False
    try:
        lock = os.open(os.path.join(folder, "lock"), os.O_RDWR)
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return False
    except BlockingIOError:
        return True
    finally:
        os.close(lock)


def _state(folder: str) -> str:
    if _is_running(folder):
        return "running"
    # It may have ended between the two looks.
    ended = _read(folder, "exit")
    return "lost: its processes are gone, and its exit code is unknown" if ended is None else ended


def _list() -> None:
    names = os.listdir(_jobs()) if os.path.isdir(_jobs()) else []
    jobs = sorted(int(name) for name in names if name.isdigit())
    if not jobs:
        print("There are no jobs.")
    for job in jobs:
        script = (_read(_folder(job), "script") or "").strip().split("\n")[0][:100]
        print(f"Job {job}: {_state(_folder(job))}. {script}")


def _print_output(folder: str) -> None:
    tail = b""
    total = 0
    for name in ("output.before", "output"):
        try:
            with open(os.path.join(folder, name), "rb") as file:
                size = os.fstat(file.fileno()).st_size
                total += size
                file.seek(max(0, size - _SHOWN_BYTES))
                tail += file.read(_SHOWN_BYTES)
        except OSError:
            continue
    tail = tail[-_SHOWN_BYTES:]
    if total > len(tail):
        print(f"[its last {len(tail)} bytes]")
    text = tail.decode("utf-8", "replace")
    print(text if text else "It has printed nothing.", end="" if text.endswith("\n") else "\n")


def _keep(folder: str, script: str, begun: int) -> None:
    """The keeper: does not return."""
    os.setsid()
    lock = os.open(os.path.join(folder, "lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    os.closerange(max(lock, begun, null) + 1, 256)
    for descriptor in range(3, max(lock, begun, null)):
        if descriptor not in (lock, begun):
            try:
                os.close(descriptor)
            except OSError:
                pass
    for name in (signal.SIGHUP, signal.SIGINT):
        signal.signal(name, signal.SIG_IGN)
    limit = float(os.environ.get(_SECONDS, "0") or "0")
    child = subprocess.Popen(
        ["bash", "-c", script],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        restore_signals=True,
        preexec_fn=_default_signals,
    )
    os.write(begun, b"1")
    os.close(begun)
    _put(folder, "exit", _outcome(folder, child, time.monotonic(), limit))
    os._exit(0)


def _default_signals() -> None:
    for name in (signal.SIGHUP, signal.SIGINT):
        signal.signal(name, signal.SIG_DFL)


def _outcome(folder: str, child: subprocess.Popen[bytes], began: float, limit: float) -> str:
    assert child.stdout is not None
    pipe = child.stdout.fileno()
    path = os.path.join(folder, "output")
    stopped = ""
    with open(path, "ab", buffering=0) as first:
        file = first
        written = 0
        while True:
            ended = child.poll() is not None
            readable, _, _ = select.select([pipe], [], [], 0 if ended else _PAUSE)
            part = os.read(pipe, 65536) if readable else b""
            if part:
                # On a full disk the output ends, the job does not.
                try:
                    written += file.write(part) or 0
                    if written > _PART_BYTES:
                        os.rename(path, f"{path}.before")
                        file = open(path, "wb", buffering=0)  # noqa: SIM115
                        written = 0
                except OSError:
                    pass
            elif ended:
                break
            elif readable:
                # All writers have closed it.
                time.sleep(_PAUSE / 4)
            took = time.monotonic() - began
            if not stopped and 0 < limit < took:
                stopped = f"stopped: it ran longer than {limit:g} s"
                _end(child)
            elif not stopped and os.path.exists(os.path.join(folder, "stop")):
                stopped = "stopped"
                _end(child)
    code = child.wait()
    took = time.monotonic() - began
    return stopped or f"ended with exit code {code if code >= 0 else 128 - code} after {took:.1f} s"


def _end(child: subprocess.Popen[bytes]) -> None:
    """Its session's processes; a warning first."""
    for name, seconds in ((signal.SIGTERM, _GRACE), (signal.SIGKILL, 1.0)):
        try:
            os.killpg(child.pid, name)
        except ProcessLookupError:
            return
        until = time.monotonic() + seconds
        while child.poll() is None and time.monotonic() < until:
            time.sleep(_PAUSE / 4)
