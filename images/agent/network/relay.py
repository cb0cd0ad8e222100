"""In a sandbox without a network: what programs take for their HTTP proxy. Carries bytes between
127.0.0.1 and a socket.

Runs as root beside the supervisor, so that the agent can neither end nor replace it.
Usage: relay.py PORT SOCKET
"""

from __future__ import annotations

import socket
import sys
import threading

PIECE = 64 * 1024
MOST_CONNECTIONS = 64


def pump(source: socket.socket, sink: socket.socket) -> None:
    try:
        while piece := source.recv(PIECE):
            sink.sendall(piece)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def carry(here: socket.socket, path: str, places: threading.Semaphore) -> None:
    try:
        with here, socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as there:
            there.connect(path)
            back = threading.Thread(target=pump, args=(there, here), daemon=True)
            back.start()
            pump(here, there)
            back.join()
    except (OSError, RuntimeError):
        pass  # the agent sees a closed connection
    finally:
        places.release()


def main() -> None:
    port, path = int(sys.argv[1]), sys.argv[2]
    threading.stack_size(256 * 1024)
    places = threading.BoundedSemaphore(MOST_CONNECTIONS)
    with socket.create_server(("127.0.0.1", port), backlog=64) as server:
        while True:
            places.acquire()
            try:
                here, _ = server.accept()
                threading.Thread(target=carry, args=(here, path, places), daemon=True).start()
            except (OSError, RuntimeError):
                places.release()


if __name__ == "__main__":
    main()
