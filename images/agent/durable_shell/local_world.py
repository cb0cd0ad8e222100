"""The local backend's stand-in for a container: what can be had of a world apart on a plain host.

As root with namespaces: own mounts (this home, the repository, other users' files hidden), own
processes, no network, own uid. As root without them: own uid. Otherwise nothing but a directory.
Whatever comes out is recorded as isolation `none`.
"""

from __future__ import annotations

import compileall
import ctypes
import fcntl
import json
import os
import shutil
import socket
import stat
import struct
import sys
from typing import Any

from . import processes, snapshot, starter
from .settings import Settings

_NEW_MOUNTS, _NEW_IPC, _NEW_PROCESSES, _NEW_NETWORK = 0x00020000, 0x08000000, 0x20000000, 0x40000000
_MS_NOSUID, _MS_NODEV, _MS_NOEXEC, _MS_BIND, _MS_REC, _MS_PRIVATE = 2, 4, 8, 4096, 16384, 1 << 18
_STANDARD_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

# Directories of other people, sockets of services: replaced by empty ones.
_EMPTIED = ("/home", "/root", "/run", "/mnt", "/media", "/srv")
_AGENT_HOME = "/home/agent"
_TOOLS = "/run/bench-tools"

_libc = ctypes.CDLL(None, use_errno=True)


def build(control: str, plan_file: str) -> Settings:
    """Make this process the supervisor of the world that the plan describes.

    Exits if another one already is.
    """
    os.chdir(control)
    _lock_or_leave()
    with open(plan_file, "rb") as file:
        plan = json.load(file)
    uid = plan["uid"] if os.geteuid() == 0 else None
    apart = uid is not None and _unshare(plan.get("openNetwork", False))
    limit = None if plan.get("workspaceMb") is None else plan["workspaceMb"] * 1024 * 1024
    place = _prepare(plan, uid, apart)
    _become_supervisor(apart, uid)
    view = _view(place, apart)
    try:
        starter.restore(
            view, {name: place[name] for name in ("workspace", "home", "tmp")}, uid, limit
        )
    except (snapshot.Refused, OSError) as error:
        # Our launcher may have gone already: whoever waits for us reads it here.
        _write("unusable", str(error))
        sys.exit(str(error))
    if apart and uid is not None:
        try:
            _mount_world(plan, place, uid)
        except OSError as error:
            # Half a world is worse than none: the worker sees the exit and reads why.
            sys.exit(f"the sandbox's mounts could not be made: {error}")
    workspace, home, tools = view["workspace"], view["home"], view["tools"]
    _install_tools(plan["tools"], tools, home)
    _write("view.json", view)
    path = f"{tools}:{_STANDARD_PATH}"
    if shutil.which("python3", path=_STANDARD_PATH) is None:
        path += f":{os.path.dirname(sys.executable)}"
    environment = {
        **plan.get("environment", {}),
        "PATH": path,
        "HOME": home,
        "USER": "agent",
        "LOGNAME": "agent",
        "SHELL": "/bin/bash",
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "PAGER": "cat",
        "CUDA_VISIBLE_DEVICES": ",".join(plan["gpuDevices"]),
    }
    return Settings(
        uid=uid,
        # Ours, but not in a process namespace of which we could be as sure as in a container.
        uid_is_ours_alone=False,
        workspace=workspace,
        home=home,
        environment=environment,
        tools_socket=f"{tools}/sock",
        most_processes=plan["pids"],
        fallback_dirs=(home,),
        workspace_bytes=limit,
        watched_places=(home, workspace, "/tmp" if apart else place["tmp"]),
    )


def _lock_or_leave() -> None:
    lock = os.open("lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        sys.exit(0)
    # Never closed: held by this program until it ends. The agent's shells do not get it.


def _unshare(open_network: bool) -> bool:
    basics = _NEW_MOUNTS | _NEW_PROCESSES | _NEW_IPC
    if open_network:
        return bool(_libc.unshare(basics) == 0)
    # Without a network of its own the rest is still worth having.
    return bool(_libc.unshare(basics | _NEW_NETWORK) == 0 or _libc.unshare(basics) == 0)


def _view(place: dict[str, str], apart: bool) -> dict[str, str]:
    """The paths as the agent sees them."""
    if apart:
        return {"workspace": f"{_AGENT_HOME}/workspace", "home": _AGENT_HOME, "tools": _TOOLS}
    return {name: place[name] for name in ("workspace", "home", "tools")}


def _prepare(plan: dict[str, Any], uid: int | None, apart: bool) -> dict[str, str]:
    """Directories of the run, with the starter's files. Done once; what exists is taken over.

    No process may be forked here: where we are to live apart, the first one will be init there.
    """
    try:
        with open("place.json", "rb") as file:
            known: dict[str, str] = json.load(file)
            return known
    except FileNotFoundError:
        pass
    base = plan["base"]
    if uid is not None and not apart and not _can_enter(uid, base):
        # A home under /root, and no way to mount it elsewhere.
        base = f"/var/tmp/bench-local-{uid}"
    if base == plan["base"]:
        os.makedirs(base, exist_ok=True)
    else:
        _make_own_dir(base)
    place = {
        "base": base,
        **{name: os.path.join(base, name) for name in ("workspace", "home", "tmp", "tools")},
    }
    for name in ("workspace", "home", "tmp"):
        shutil.rmtree(place[name], ignore_errors=True)
    starter.copy(plan["starterDir"], place["workspace"], uid)
    for name in ("home", "tmp"):
        os.mkdir(place[name])
        if uid is not None:
            os.chown(place[name], uid, uid)
    for name in ("workspace", "home", "tmp"):
        os.chmod(place[name], 0o700)
    _write("place.json", place)
    return place


def _make_own_dir(path: str) -> None:
    """In a place where everyone may write: it must not be another user's."""
    try:
        os.mkdir(path)
    except FileExistsError:
        found = os.lstat(path)
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
            sys.exit(f"{path} is in the way: it belongs to user {found.st_uid}")
    os.chmod(path, 0o711)


def _can_enter(uid: int, path: str) -> bool:
    os.makedirs(path, exist_ok=True)
    pid = os.fork()
    if pid == 0:
        try:
            os.setgroups([])
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
            os.chdir(path)
            os._exit(0)
        except OSError:
            os._exit(1)
    return os.waitpid(pid, 0)[1] == 0


def _write(path: str, value: Any) -> None:
    with open(f"{path}.tmp", "w", encoding="utf-8") as file:
        json.dump(value, file)
    os.rename(f"{path}.tmp", path)


def _become_supervisor(apart: bool, uid: int | None) -> None:
    """Record, in the host's terms, which process must die for everything to end. In namespaces that
    is a child: their init.

    Whoever stops the sandbox leaves a mark and then reads the record; we record and then look for
    the mark. So one of the two always sees the other.
    """
    if not apart:
        _record(os.getpid(), uid, False)
        _leave_if_stopping()
        return
    recorded_read, recorded_write = os.pipe()
    child = os.fork()
    if child > 0:
        os.close(recorded_read)
        _record(child, uid, True)
        # Leaving without a word ends the child too.
        _leave_if_stopping()
        os.write(recorded_write, b"x")
        os._exit(0)
    os.close(recorded_write)
    if os.read(recorded_read, 1) != b"x":
        sys.exit("the launcher died before it had recorded the supervisor")
    os.close(recorded_read)
    os.setsid()


def _leave_if_stopping() -> None:
    if os.path.exists("stopping") or not os.path.exists("supervisor.json"):
        sys.exit("the sandbox is being stopped")


def _record(pid: int, uid: int | None, everything: bool) -> None:
    process = processes.read(pid)
    with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
        boot = file.read().strip()
    _write(
        "supervisor.json",
        {
            "pid": pid,
            "started": process.started if process else 0,
            "boot": boot,
            "uid": uid,
            "ownsProcesses": everything,
        },
    )


def _mount(source: str, target: str, kind: str | None, flags: int, options: str = "") -> None:
    kind_bytes = kind.encode() if kind is not None else None
    if (
        _libc.mount(
            source.encode(), target.encode(), kind_bytes, ctypes.c_ulong(flags), options.encode()
        )
        != 0
    ):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), target)


def _mount_world(plan: dict[str, Any], place: dict[str, str], uid: int) -> None:
    _mount("none", "/", None, _MS_REC | _MS_PRIVATE)
    # Held open: their paths are about to disappear.
    os.chmod(place["tmp"], 0o1777)
    held = {
        name: os.open(place[name], os.O_PATH | os.O_DIRECTORY)
        for name in ("workspace", "home", "tmp")
    }
    tools_source = os.open(plan["tools"], os.O_RDONLY | os.O_DIRECTORY)
    _mount("proc", "/proc", "proc", _MS_NOSUID | _MS_NODEV | _MS_NOEXEC)
    empty = _MS_NOSUID | _MS_NODEV
    for directory in _EMPTIED:
        if os.path.isdir(directory) and not os.path.islink(directory):
            _mount("tmpfs", directory, "tmpfs", empty, "mode=0755,size=16m")
    for directory in ("/tmp", "/var/tmp"):
        if os.path.isdir(directory) and not os.path.islink(directory):
            _mount(f"/proc/self/fd/{held['tmp']}", directory, None, _MS_BIND)
    if os.path.isdir("/dev/shm"):
        _mount("tmpfs", "/dev/shm", "tmpfs", empty, "mode=1777")
    for directory in plan["hide"]:
        # Most lie in one of the directories above.
        if os.path.isdir(directory):
            _mount("tmpfs", directory, "tmpfs", empty, "mode=0755,size=16m")
    os.makedirs(_AGENT_HOME, exist_ok=True)
    _mount(f"/proc/self/fd/{held['home']}", _AGENT_HOME, None, _MS_BIND)
    workspace = f"{_AGENT_HOME}/workspace"
    os.makedirs(workspace, exist_ok=True)
    _mount(f"/proc/self/fd/{held['workspace']}", workspace, None, _MS_BIND)
    _name_the_agent(uid)
    _raise_loopback()
    for descriptor in held.values():
        os.close(descriptor)
    # For _install_tools, which would no longer find them.
    plan["tools"] = f"/proc/self/fd/{tools_source}"


def _name_the_agent(uid: int) -> None:
    """The uid gets a name in this world: `whoami` and Python's getpass expect one."""
    os.makedirs("/run/bench-etc", exist_ok=True)
    os.chmod("/run/bench-etc", 0o755)
    for name, line in (
        ("passwd", f"agent:x:{uid}:{uid}::{_AGENT_HOME}:/bin/bash\n"),
        ("group", f"agent:x:{uid}:\n"),
    ):
        with open(f"/etc/{name}", encoding="utf-8", errors="surrogateescape") as file:
            known = "".join(row for row in file if not row.startswith("agent:"))
        copy = f"/run/bench-etc/{name}"
        with open(copy, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(known + line)
        os.chmod(copy, 0o644)
        _mount(copy, f"/etc/{name}", None, _MS_BIND)


def _raise_loopback() -> None:
    """A new network has its loopback down; programs that talk to themselves expect it up."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        try:
            fcntl.ioctl(any_socket, 0x8914, struct.pack("16sh14x", b"lo", 0x1 | 0x40))
        except OSError:
            pass  # no network of our own: the host's loopback is up


def _install_tools(source: str, target: str, home: str) -> None:
    os.makedirs(target, exist_ok=True)
    os.chmod(target, 0o755)
    package = os.path.join(target, "agent_tools")
    shutil.rmtree(package, ignore_errors=True)
    shutil.copytree(
        os.path.join(source, "agent_tools"), package, ignore=shutil.ignore_patterns("__pycache__")
    )
    # The agent cannot write here, so each call would compile anew.
    compileall.compile_dir(package, quiet=2)
    for directory, _, files in os.walk(package):
        os.chmod(directory, 0o755)
        for name in files:
            os.chmod(os.path.join(directory, name), 0o644)
    with open(os.path.join(target, "agent-home"), "w", encoding="utf-8") as file:
        file.write(f"{home}\n")
    os.chmod(os.path.join(target, "agent-home"), 0o644)
    with open(os.path.join(source, "run_command.py"), encoding="utf-8") as file:
        body = file.read().split("\n", 1)[1]
    program = os.path.join(target, "run_command.py")
    with open(program, "w", encoding="utf-8") as file:
        file.write(f"#!{sys.executable} -IS\n{body}")
    os.chmod(program, 0o755)
    with open(os.path.join(source, "commands.txt"), encoding="utf-8") as file:
        names = file.read().split()
    for name in names:
        path = os.path.join(target, name)
        if not os.path.lexists(path):
            os.symlink("run_command.py", path)
    python = os.path.join(target, "python")
    if shutil.which("python", path=_STANDARD_PATH) is None and not os.path.lexists(python):
        os.symlink(sys.executable, python)
