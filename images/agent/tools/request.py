#!/usr/bin/python3 -IS
"""`validate` and `submit`, told apart by the name under which this file is called."""

import os
import socket
import sys

USE = {
    "validate": "Ask for an evaluation of the work as it stands. It runs when the current command has ended.",
    "submit": "Hand in the work and finish. It is evaluated when the current command has ended.",
}


def main() -> int:
    name = os.path.basename(sys.argv[0])
    if name not in USE or "--help" in sys.argv[1:]:
        print(f"usage: {name}\n{USE.get(name, '')}".rstrip())
        return 0 if name in USE else 2
    # Beside the tools on a plain host; in a fixed place in containers.
    beside = os.path.dirname(os.path.abspath(sys.argv[0]))
    directory = beside if os.path.exists(os.path.join(beside, "sock")) else "/run/bench-tools"
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as channel:
            channel.settimeout(30)
            os.chdir(directory)
            channel.connect("sock")
            channel.sendall(name.encode() + b"\n")
            answer = channel.makefile("rb").readline(4096).decode()
    except OSError as error:
        print(f"{name}: the sandbox does not answer: {error}", file=sys.stderr)
        return 1
    verdict, _, text = answer.strip().partition(" ")
    print(text or "no answer", file=sys.stdout if verdict == "ok" else sys.stderr)
    return 0 if verdict == "ok" else 1


if __name__ == "__main__":
    sys.exit(main())
