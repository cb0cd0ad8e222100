"""The sandbox's main process: starts the durable shell and stays until the sandbox ends.

In a container it runs as root under the engine's init. On the local backend it is a detached
process of the host, and first builds what it can of a world apart (see
durable_shell/local_world.py).
"""

from __future__ import annotations

import argparse
import gc
import os
import signal
import sys
from dataclasses import replace

from durable_shell import forbidden_calls, hosts_file, processes, starter
from durable_shell.sealed_thread import SealedThread
from durable_shell.settings import Settings
from durable_shell.shell_process import limit_resources
from durable_shell.supervisor import Supervisor, end_with_everything

REQUESTS_SOCKET = "/run/bench-tools/sock"
HOME = "/home/agent"


def in_container(arguments: argparse.Namespace) -> Settings:
    # Nobody but root may enter the directory above the control directory.
    os.chmod(os.path.dirname(arguments.control), 0o700)
    os.chdir(arguments.control)
    limit = (
        None if arguments.workspace_limit_mb is None else arguments.workspace_limit_mb * 1024 * 1024
    )
    view = {
        "workspace": arguments.workspace,
        "home": HOME,
        "tools": os.path.dirname(REQUESTS_SOCKET),
    }
    starter.seed(
        view, {"workspace": arguments.workspace, "home": HOME, "tmp": "/tmp"}, arguments.uid, limit
    )
    try:
        # Not in the image: engines lay an empty file over it.
        hosts_file.ensure_localhost()
    except OSError as error:
        print(f"localhost has no address: {error}", file=sys.stderr)
    os.makedirs(os.path.dirname(REQUESTS_SOCKET), exist_ok=True)
    os.chmod(os.path.dirname(REQUESTS_SOCKET), 0o755)
    environment = {
        **os.environ,
        "HOME": HOME,
        "USER": "agent",
        "LOGNAME": "agent",
        "SHELL": "/bin/bash",
        "LANG": os.environ.get("LANG", "C.UTF-8"),
        "TERM": "dumb",
        "PAGER": "cat",
    }
    return Settings(
        uid=arguments.uid,
        uid_is_ours_alone=True,
        workspace=arguments.workspace,
        home=HOME,
        environment=environment,
        tools_socket=REQUESTS_SOCKET,
        fallback_dirs=(HOME,),
        workspace_bytes=limit,
        watched_places=(HOME, "/tmp", "/var/tmp"),
        has_gpus=arguments.gpus,
        counts_memory_kills=True,
        has_other_users=True,
    )


def sealed_unless_protected(has_gpus: bool) -> SealedThread | None:
    """Many small processes of the agent's must not make this the largest one.

    Raises nothing: at worst a command is lost.
    """
    if processes.protect_from_oom():
        return None
    try:
        # CUDA cannot start without writing there: error 304 from cuInit on (driver 580, an H200).
        if not has_gpus:
            return SealedThread()
        why = "CUDA does not run under Landlock"
    except OSError as error:
        why = f"Landlock: {error}"
    print(
        f"the supervisor cannot be kept from being killed when memory is short ({why})",
        file=sys.stderr,
    )
    return None


def main() -> None:
    parser = argparse.ArgumentParser(prog="supervisor")
    parser.add_argument("--control", default="/run/bench/control")
    parser.add_argument("--workspace", default="/home/agent/workspace")
    parser.add_argument("--uid", type=int, default=10001)
    parser.add_argument(
        "--workspace-limit-mb", type=int, help="end commands that write more; default: no limit"
    )
    parser.add_argument(
        "--gpus", action="store_true", help="outcomes tell what the driver says of the GPUs"
    )
    parser.add_argument(
        "--local", metavar="PLAN.JSON", help="build a world apart on this host, as the plan says"
    )
    arguments = parser.parse_args()
    os.umask(0o077)
    # Whatever else was open in who started us would be open in every shell.
    os.closerange(3, 1 << 20)
    if arguments.local is not None:
        from durable_shell import local_world

        settings = local_world.build(arguments.control, arguments.local)
    else:
        settings = in_container(arguments)
    processes.forbid_new_privileges()
    # Here and not in each shell: that would cost more than the fork. Threads that exist already
    # would not take it.
    if not forbidden_calls.forbid():
        print(
            "commands may use up the agent's share of this host's inotify instances",
            file=sys.stderr,
        )
    if arguments.local is None:
        settings = replace(settings, sealed=sealed_unless_protected(arguments.gpus))
    if not processes.adopt_orphans():
        print(
            "orphans cannot be adopted: daemons may outlive the sandbox's commands", file=sys.stderr
        )
    signal.signal(signal.SIGTERM, lambda *_: end_with_everything(settings))
    # Handled, not ignored: what is ignored here would be ignored in every shell.
    signal.signal(signal.SIGINT, lambda *_: None)
    limit_resources(settings)
    supervisor = Supervisor(settings)
    # What exists by now stays: leaving it alone keeps its memory shared with the shells that are
    # forked from it.
    gc.collect()
    gc.freeze()
    supervisor.run_forever()


if __name__ == "__main__":
    main()
