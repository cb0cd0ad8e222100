"""In a sandbox without a network: what programs take for their HTTP proxy. Carries bytes between
127.0.0.1 and a socket.

Runs as root beside the supervisor, so that the agent can neither end nor replace it.
Usage: relay.py PORT SOCKET
"""

from __future__ import annotations

import select
import socket
import sys
import threading
import time

PIECE = 64 * 1024
MOST_CONNECTIONS = 64
AGAIN_SECONDS = 0.2


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


def has_left(client: socket.socket) -> bool:
    """Also where what it sent is still unread."""
    ends = select.poll()
    ends.register(client, select.POLLRDHUP)
    return bool(ends.poll(0))


def reach(path: str, client: socket.socket) -> socket.socket:
    """Waits for a server that restarts as long as the client does: programs give up after a few
    refused connections.
    """
    while True:
        there = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            there.connect(path)
            return there
        except OSError:
            there.close()
            if has_left(client):
                raise
        time.sleep(AGAIN_SECONDS)


def carry(here: socket.socket, path: str, places: threading.Semaphore) -> None:
    try:
        with here, reach(path, here) as there:
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
