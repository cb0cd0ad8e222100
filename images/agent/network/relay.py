"""In a sandbox without a network: what programs take for their HTTP proxy. Carries bytes between
127.0.0.1 and a socket.

Runs as root beside the supervisor, so that the agent can neither end nor replace it.
Usage: relay.py PORT SOCKET [repeat]
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
MOST_REPEATED = 8 * 1024 * 1024
MOST_REPEATS = 10


class Exchange:
    """One connection of a client. With `repeats`, a call whose server dies before the first byte of
    its answer is sent again to the next server: many programs end at a closed connection.
    """

    def __init__(self, client: socket.socket, path: str, repeats: bool) -> None:
        self.client, self.path, self.repeats = client, path, repeats
        self.lock = threading.Lock()
        self.unanswered = bytearray()
        self.server = reach(path, client)

    def carry_requests(self) -> None:
        """Until the client closes its side."""
        try:
            while piece := self.client.recv(PIECE):
                with self.lock:
                    server = self.server
                    if self.repeats and len(self.unanswered) <= MOST_REPEATED:
                        self.unanswered += piece
                try:
                    server.sendall(piece)
                except OSError:
                    if not self.may_repeat():
                        raise
            with self.lock:
                self.server.shutdown(socket.SHUT_WR)
        except OSError:
            self.close()

    def carry_answers(self) -> None:
        """Of the first server, and of those after it."""
        repeats = 0
        while True:
            try:
                while piece := self.server.recv(PIECE):
                    repeats = 0
                    with self.lock:
                        self.unanswered.clear()
                    self.client.sendall(piece)
            except OSError:
                pass
            repeats += 1
            if repeats > MOST_REPEATS or not self.ask_again():
                break
        with self.lock:
            self.repeats = False
        try:
            self.client.shutdown(socket.SHUT_WR)
        except OSError:
            self.close()

    def may_repeat(self) -> bool:
        """Not what follows the first byte of an answer, which may be the rest of a request."""
        whole = self.unanswered.startswith(b"POST /") and len(self.unanswered) <= MOST_REPEATED
        return self.repeats and whole

    def ask_again(self) -> bool:
        try:
            if not self.may_repeat():
                return False
            # Not at once to a server that closes each connection.
            time.sleep(AGAIN_SECONDS)
            server = reach(self.path, self.client)
            with self.lock:
                self.server.close()
                self.server = server
                if has_left(self.client):
                    return False
                server.sendall(self.unanswered)
            return True
        except OSError:
            return False

    def close(self) -> None:
        for end in (self.client, self.server):
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


def carry(here: socket.socket, path: str, repeats: bool, places: threading.Semaphore) -> None:
    try:
        with here:
            exchange = Exchange(here, path, repeats)
            back = threading.Thread(target=exchange.carry_answers, daemon=True)
            back.start()
            exchange.carry_requests()
            back.join()
            exchange.server.close()
    except (OSError, RuntimeError):
        pass  # the agent sees a closed connection
    finally:
        places.release()


def main() -> None:
    port, path, repeats = int(sys.argv[1]), sys.argv[2], sys.argv[3:] == ["repeat"]
    threading.stack_size(256 * 1024)
    places = threading.BoundedSemaphore(MOST_CONNECTIONS)
    with socket.create_server(("127.0.0.1", port), backlog=64) as server:
        while True:
            places.acquire()
            try:
                here, _ = server.accept()
                threading.Thread(
                    target=carry, args=(here, path, repeats, places), daemon=True
                ).start()
            except (OSError, RuntimeError):
                places.release()


if __name__ == "__main__":
    main()
