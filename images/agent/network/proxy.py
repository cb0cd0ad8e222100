"""The way out of a sandbox whose task allows named hosts: an HTTP proxy in a container of its own.

It listens on a unix socket alone, which the agent's side reaches through relay.py; it resolves
names itself, connects to allowed hosts only, and never to addresses of this machine, its networks
or a cloud's metadata service. Each request is one JSON line on stdout, up to MOST_LINES; what
follows is counted, and reported each time that the count has doubled.

Usage: proxy.py SOCKET POLICY, where POLICY is JSON: {"allow": [{"host", "below", "ports"}],
"allowPrivate": bool}
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import os
import signal
import socket
import sys
import time
from asyncio import StreamReader, StreamWriter
from collections.abc import Callable
from typing import Any, Union

MOST_LINES = 200
MOST_CONNECTIONS = 128
HEAD_BYTES = 64 * 1024
HEAD_SECONDS = 30
CONNECT_SECONDS = 30
IDLE_SECONDS = 900
PIECE = 64 * 1024
# Not link-local, yet answered by clouds' own machines.
METADATA = {
    ipaddress.ip_address(text)
    for text in ("100.100.100.200", "168.63.129.16", "192.0.0.192", "fd00:ec2::254")
}
HOP_BY_HOP = {
    "connection",
    "proxy-connection",
    "keep-alive",
    "proxy-authorization",
    "te",
    "trailer",
    "upgrade",
}


# What is recorded of a request.
Entry = dict[str, Any]
Address = Union[ipaddress.IPv4Address, ipaddress.IPv6Address]


class Refused(Exception):
    """The refusal that the agent sees."""

    def __init__(self, reason: str, status: str = "403 Forbidden") -> None:
        super().__init__(reason)
        self.status = status


class Record:
    """One line per request, then sums: what an agent asks in a loop must not fill anybody's disk."""

    def __init__(self, write: Callable[[Entry], None]) -> None:
        self.write = write
        self.lines = 0
        self.more = {"allowed": 0, "refused": 0, "up": 0, "down": 0}
        self.tell_at = 100

    def request(self, entry: Entry) -> None:
        if self.lines < MOST_LINES:
            self.lines += 1
            self.write(entry)
            return
        self.more["allowed" if entry["allowed"] else "refused"] += 1
        self.more["up"] += entry["up"]
        self.more["down"] += entry["down"]
        if self.more["allowed"] + self.more["refused"] >= self.tell_at:
            self.tell_at *= 2
            self.tell_more()

    def tell_more(self) -> None:
        """The sums since the last line."""
        if self.more["allowed"] + self.more["refused"] == 0:
            return
        self.write({"more": dict(self.more)})
        self.more = dict.fromkeys(self.more, 0)


def embedded_addresses(address: Address) -> list[Address]:
    """The address, and what IPv4 address an IPv6 one stands for."""
    found: list[Address] = [address]
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped:
            found.append(address.ipv4_mapped)
        if address.sixtofour:
            found.append(address.sixtofour)
        if address.teredo:
            found.extend(address.teredo)
        if address in ipaddress.ip_network("64:ff9b::/96"):
            found.append(ipaddress.ip_address(int(address) & 0xFFFFFFFF))
    return found


def forbidden(address: Address, allow_private: bool) -> str | None:
    """Why nobody may connect there, or None."""
    for each in embedded_addresses(address):
        if each.is_loopback or each.is_unspecified:
            return "is the proxy itself"
        if each.is_link_local or each in METADATA:
            return "is link-local or a metadata service"
        if each.is_multicast:
            return "is a multicast address"
        if not each.is_global and not allow_private:
            return "is a private address"
    return None


def serves(ports: list[int], port: int, tunnel: bool) -> bool:
    """What is said in a tunnel is nobody's business, so that without a port in the task's list it
    goes to TLS alone.
    """
    return port == 443 if tunnel and len(ports) > 1 else port in ports


class Policy:
    """The task's allowed hosts."""

    def __init__(self, allow: list[dict[str, Any]], allow_private: bool) -> None:
        self.allow = allow
        self.allow_private = allow_private

    def names(self, host: str, port: int, tunnel: bool) -> bool:
        return any(
            serves(entry["ports"], port, tunnel)
            and (host.endswith("." + entry["host"]) if entry["below"] else host == entry["host"])
            for entry in self.allow
        )

    async def addresses(self, host: str, port: int, tunnel: bool) -> list[str]:
        """Where to connect for an allowed host. Raises Refused."""
        literal = as_address(host)
        if not self.names(host, port, tunnel):
            if literal is not None:
                raise Refused("addresses are refused; use one of the task's allowed host names")
            raise Refused(f"the task's network policy does not allow {host}:{port}")
        if literal is not None:
            # The task names this very address.
            return [host]
        try:
            found = await asyncio.get_running_loop().getaddrinfo(
                host, port, type=socket.SOCK_STREAM
            )
        except (OSError, UnicodeError) as error:
            raise Refused(f"{host} cannot be resolved: {error}", "502 Bad Gateway") from None
        good: list[str] = []
        reason = None
        for *_, at in found:
            place = str(at[0])
            why = forbidden(ipaddress.ip_address(place.split("%")[0]), self.allow_private)
            if why is None:
                good.append(place)
            reason = why or reason
        if not good:
            raise Refused(f"{host} resolves to an address that {reason}")
        return good


def as_address(host: str) -> Address | None:
    """An address in any spelling that the system's resolver would take for one, else None."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        pass
    try:
        return ipaddress.ip_address(socket.inet_aton(host))
    except (OSError, ValueError, UnicodeError):
        return None


def host_and_port(text: str, default: int | None) -> tuple[str, int]:
    if text.startswith("["):
        host, _, rest = text[1:].partition("]")
        port = rest[1:] if rest.startswith(":") else ""
    else:
        host, _, port = text.partition(":")
    if port == "" and default is not None:
        port = str(default)
    if host == "" or not port.isascii() or not port.isdigit() or not 0 < int(port) < 65536:
        raise Refused("no host and port in the request", "400 Bad Request")
    return host.lower().rstrip("."), int(port)


def body_bytes(headers: list[str]) -> int:
    """How many bytes of the connection belong to the request after its head.

    What follows would be another request.
    """
    fields = [
        (name.strip().lower(), value.strip())
        for name, _, value in (line.partition(":") for line in headers)
    ]
    if any(name == "transfer-encoding" for name, _ in fields):
        raise Refused("say how long the body is with Content-Length", "411 Length Required")
    lengths = {value for name, value in fields if name == "content-length"}
    if not lengths:
        return 0
    (length, *others) = lengths
    if others or not length.isascii() or not length.isdigit():
        raise Refused("no clear Content-Length", "400 Bad Request")
    return int(length)


class Exchange:
    """One connection of the agent: one request."""

    def __init__(
        self, policy: Policy, record: Record, reader: StreamReader, writer: StreamWriter
    ) -> None:
        self.policy, self.record, self.reader, self.writer = policy, record, reader, writer
        self.entry: Entry = {
            "method": "",
            "host": "",
            "port": 0,
            "allowed": False,
            "up": 0,
            "down": 0,
            "ms": 0,
            "note": "",
        }
        self.started = time.monotonic()

    async def run(self) -> None:
        try:
            await self.exchange()
        except Refused as refusal:
            self.entry["note"] = str(refusal)
            await self.answer(refusal.status, str(refusal))
        except (
            OSError,
            asyncio.TimeoutError,
            asyncio.IncompleteReadError,
            asyncio.LimitOverrunError,
        ) as error:
            self.entry["note"] = self.entry["note"] or type(error).__name__
        except asyncio.CancelledError:
            self.entry["note"] = "cut off when the sandbox ended"
        finally:
            self.writer.close()
            self.entry["ms"] = round((time.monotonic() - self.started) * 1000)
            if self.entry["host"] or self.entry["note"] != "IncompleteReadError":
                self.record.request(self.entry)

    async def answer(self, status: str, text: str) -> None:
        body = f"bench: {text}\n".encode()
        head = (
            f"HTTP/1.1 {status}\r\nContent-Type: text/plain\r\n"
            f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        )
        try:
            self.writer.write(head.encode() + body)
            await asyncio.wait_for(self.writer.drain(), HEAD_SECONDS)
        except (OSError, asyncio.TimeoutError):
            pass

    async def exchange(self) -> None:
        try:
            head = await asyncio.wait_for(self.reader.readuntil(b"\r\n\r\n"), HEAD_SECONDS)
        except asyncio.LimitOverrunError:
            raise Refused(
                "the request's head is too long", "431 Request Header Fields Too Large"
            ) from None
        first, *headers = head[:-4].decode("latin-1").split("\r\n")
        # Servers disagree on where lines end that hold one of these: some would see another request
        # or another Host.
        if any(sign in line for line in [first, *headers] for sign in "\r\n\0") or any(
            line[:1] in ("", " ", "\t") for line in headers
        ):
            raise Refused("a line of the request's head is broken", "400 Bad Request")
        words = first.split(" ")
        if len(words) != 3 or not words[2].startswith("HTTP/1."):
            raise Refused("this is an HTTP proxy", "400 Bad Request")
        method, target, _ = words
        self.entry["method"] = method[:16]
        if method == "CONNECT":
            host, port = host_and_port(target, None)
            onward = b""
            body: int | None = None
        else:
            if not target.lower().startswith("http://"):
                raise Refused(
                    "this is a proxy: ask for http://host/path, or CONNECT host:port",
                    "400 Bad Request",
                )
            authority, slash, path = target[7:].partition("/")
            if "@" in authority or "?" in authority or "#" in authority:
                raise Refused("no plain host in the address", "400 Bad Request")
            host, port = host_and_port(authority, 80)
            body = body_bytes(headers)
            # The Host header is ours: one that named another host would get past the list on shared
            # servers.
            kept = [
                line
                for line in headers
                if line.partition(":")[0].strip().lower() not in HOP_BY_HOP | {"host"}
            ]
            lines = [
                f"{method} {slash or '/'}{path} HTTP/1.1",
                "Host: " + authority,
                *kept,
                "Connection: close",
            ]
            onward = ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
        self.entry["host"], self.entry["port"] = host[:253], port
        found = await self.policy.addresses(host, port, method == "CONNECT")
        reader, writer = await self.connect(found, port)
        self.entry["allowed"] = True
        if method == "CONNECT":
            self.writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        await self.tunnel(reader, writer, onward, body)

    async def connect(self, addresses: list[str], port: int) -> tuple[StreamReader, StreamWriter]:
        problem: Exception | None = None
        for address in addresses:
            try:
                # The checked address, not the name: it could mean another one by now.
                return await asyncio.wait_for(
                    asyncio.open_connection(address, port), CONNECT_SECONDS
                )
            except (OSError, asyncio.TimeoutError) as error:
                problem = error
        self.entry["allowed"] = True
        raise Refused(
            f"{self.entry['host']}:{port} cannot be reached: {problem}", "502 Bad Gateway"
        )

    async def tunnel(
        self, reader: StreamReader, writer: StreamWriter, onward: bytes, body: int | None
    ) -> None:
        """`body`: bytes that still belong to the request, nothing after them is passed on; None:
        all that comes.
        """

        async def pump(
            source: StreamReader, sink: StreamWriter, key: str, left: int | None = None
        ) -> None:
            while left != 0 and (
                piece := await asyncio.wait_for(
                    source.read(PIECE if left is None else min(PIECE, left)), IDLE_SECONDS
                )
            ):
                self.entry[key] += len(piece)
                left = left if left is None else left - len(piece)
                sink.write(piece)
                await asyncio.wait_for(sink.drain(), IDLE_SECONDS)
            if left is None and sink.can_write_eof():
                sink.write_eof()

        try:
            if onward:
                self.entry["up"] += len(onward)
                writer.write(onward)
            up = asyncio.ensure_future(pump(self.reader, writer, "up", body))
            try:
                await pump(reader, self.writer, "down")
            finally:
                up.cancel()
                await asyncio.gather(up, return_exceptions=True)
        finally:
            writer.close()


async def serve(path: str, policy: Policy, record: Record) -> None:
    under_way: set[asyncio.Future[None]] = set()

    def accept(reader: StreamReader, writer: StreamWriter) -> None:
        if len(under_way) >= MOST_CONNECTIONS:
            writer.close()
            return
        task = asyncio.ensure_future(Exchange(policy, record, reader, writer).run())
        under_way.add(task)
        task.add_done_callback(under_way.discard)

    if os.path.exists(path):
        os.unlink(path)
    # Made aside and renamed: who finds it finds a socket that listens.
    aside = path + ".new"
    if os.path.exists(aside):
        os.unlink(aside)
    server = await asyncio.start_unix_server(accept, aside, limit=HEAD_BYTES)
    os.rename(aside, path)
    ended = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
    await ended.wait()
    server.close()
    for task in list(under_way):
        task.cancel()
    await asyncio.gather(*under_way, return_exceptions=True)
    record.tell_more()


def main() -> None:
    path, policy = sys.argv[1], json.loads(sys.argv[2])
    record = Record(lambda entry: print(json.dumps(entry), flush=True))
    asyncio.run(serve(path, Policy(policy["allow"], policy["allowPrivate"]), record))


if __name__ == "__main__":
    main()
