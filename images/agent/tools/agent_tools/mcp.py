"""mcp_tools, mcp_call: servers of the Model Context Protocol, over stdio or HTTP (mcp_http.py).

A server over stdio is started at its first use and lives on. Its keeper, a process of its own
session, is reached by a socket `$HOME/.bench/mcp/<server>.sock`, and serves one request at a time.
"""

from __future__ import annotations

import base64
import binascii
import fcntl
import json
import os
import select
import signal
import socket
import subprocess
import sys
from typing import Any

from . import images, mcp_http, place
from .failure import Failure, UsageError

_SERVERS = "AGENT_MCP_SERVERS"
_MOST_LINE = 32 * 1024 * 1024
_MOST_TOOLS = 200
_START_SECONDS = 60.0


def mcp_tools(arguments: list[str]) -> None:
    """All tools of all servers, as JSON: bench asks for them when a run starts."""
    if arguments:
        raise UsageError()
    tools: list[dict[str, Any]] = []
    for server in _servers():
        cursor: dict[str, Any] = {}
        while True:
            page = _ask(server, "tools/list", cursor)
            tools += [{**tool, "server": server} for tool in page.get("tools", [])]
            if len(tools) > _MOST_TOOLS:
                raise Failure(f"MCP server {server}: more than {_MOST_TOOLS} tools", 1)
            if not page.get("nextCursor"):
                break
            cursor = {"cursor": page["nextCursor"]}
    keys = ("server", "name", "description", "inputSchema")
    print(json.dumps([{key: tool[key] for key in keys if key in tool} for tool in tools]))


def mcp_call(arguments: list[str]) -> None:
    if len(arguments) != 2 or arguments[0] not in _servers():
        known = ", ".join(_servers()) or "none"
        raise UsageError(f"Error: the servers are: {known}")
    server, tool = arguments
    try:
        given = json.loads(sys.stdin.buffer.read(_MOST_LINE) or b"{}")
    except ValueError:
        raise UsageError("Error: the arguments are not JSON") from None
    result = _ask(server, "tools/call", {"name": tool, "arguments": given})
    content = result.get("content") or []
    for part in content:
        _show(part, f"{server}__{tool}")
    if not content and result.get("structuredContent") is not None:
        print(json.dumps(result["structuredContent"], ensure_ascii=False))
    if result.get("isError"):
        raise Failure("[the tool reports an error]", 1)


def _show(part: dict[str, Any], name: str) -> None:
    kind = part.get("type")
    resource = part.get("resource") or {}
    if kind == "text":
        print(part.get("text", ""))
    elif kind == "image":
        try:
            content = base64.b64decode(part.get("data", ""), validate=True)
        except (binascii.Error, ValueError):
            content = b""
        if 0 < len(content) <= images.MOST_BYTES:
            images.leave(content, name)
        else:
            print(f"[an image of {len(content)} bytes is not shown]")
    elif kind == "resource" and "text" in resource:
        print(resource["text"])
    elif kind == "resource_link":
        print(part.get("uri", ""))
    else:
        print(f"[content of type {kind} is not shown]")


def _servers() -> dict[str, dict[str, Any]]:
    try:
        found: dict[str, dict[str, Any]] = json.loads(os.environ.get(_SERVERS, "{}"))
        return found
    except ValueError:
        return {}


def _folder() -> str:
    return os.path.join(place.state_dir(), "mcp")


def _ask(server: str, method: str, params: dict[str, Any]) -> dict[str, Any]:
    """The result. Raises Failure, also where the server says no."""
    url = _servers()[server].get("url")
    if url is None:
        message = _ask_keeper(server, method, params)
    else:
        message = mcp_http.ask(server, url, _folder(), method, params)
    error, result = message.get("error"), message.get("result")
    if error is not None:
        said = error.get("message", "unknown") if isinstance(error, dict) else error
        raise Failure(f"Error: {said}", 1)
    return result if isinstance(result, dict) else {}


def _ask_keeper(server: str, method: str, params: dict[str, Any]) -> dict[str, Any]:
    connection = _connected(server)
    with connection:
        connection.sendall(json.dumps({"method": method, "params": params}).encode() + b"\n")
        answer = b""
        while not answer.endswith(b"\n"):
            part = connection.recv(65536)
            if not part:
                raise Failure(
                    f"Error: MCP server {server} has ended; the call's effects are unknown.", 1
                )
            answer += part
    message: dict[str, Any] = json.loads(answer)
    return message


def _connected(server: str) -> socket.socket:
    os.makedirs(_folder(), mode=0o700, exist_ok=True)
    with open(os.path.join(_folder(), f"{server}.lock"), "w") as lock:
        # One starts it, others wait.
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            return _reached(server)
        except OSError:
            _start(server)
            return _reached(server)


def _reached(server: str) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX)
    before = os.open(".", os.O_RDONLY)
    try:
        # A whole path may be too long for a socket.
        os.chdir(_folder())
        connection.connect(f"{server}.sock")
        return connection
    except OSError:
        connection.close()
        raise
    finally:
        os.fchdir(before)
        os.close(before)


def _start(server: str) -> None:
    spec = _servers()[server]
    told, tells = os.pipe()
    if os.fork() == 0:
        # Whatever happens, nothing of this command goes on in the keeper.
        try:
            os.close(told)
            _keep(server, spec, tells)
        except (OSError, ValueError, _Ended) as error:
            os.write(tells, str(error).encode()[:2000] or b"it has ended")
        finally:
            os._exit(1)
    os.close(tells)
    said = b""
    while True:
        part = os.read(told, 4096)
        if not part:
            break
        said += part
    os.close(told)
    if said != _READY:
        log = _tail(os.path.join(_folder(), f"{server}.log"))
        why = said.decode("utf-8", "replace") or "its keeper has ended"
        raise Failure(f"MCP server {server} did not start: {why}{log}", 1)


def _tail(path: str) -> str:
    try:
        with open(path, "rb") as file:
            text = file.read()[-2000:].decode("utf-8", "replace").strip()
            return f"\n{text}" if text else ""
    except OSError:
        return ""


_READY = b"ready"


class _Ended(Exception):
    """The server is gone, or does not speak the protocol."""


class _Server:
    """Lines of JSON to and from the process."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None and process.stdout is not None
        self._input = process.stdin.fileno()
        self.output = process.stdout.fileno()
        self._read = b""
        self._last = 0

    def request(self, method: str, params: dict[str, Any]) -> int:
        self._last += 1
        self._send({"id": self._last, "method": method, "params": params})
        return self._last

    def notify(self, method: str, params: dict[str, Any]) -> None:
        self._send({"method": method, "params": params})

    def _send(self, message: dict[str, Any]) -> None:
        line = memoryview(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        while line:
            line = line[os.write(self._input, line) :]

    def answers(self) -> list[dict[str, Any]]:
        """To requests of ours, when there is output. Its own requests are refused, but for pings."""
        part = os.read(self.output, 65536)
        if not part:
            raise _Ended("it has ended")
        *lines, self._read = (self._read + part).split(b"\n")
        if len(self._read) > _MOST_LINE:
            raise _Ended("it sent a line without an end")
        answers: list[dict[str, Any]] = []
        for line in lines:
            try:
                message = json.loads(line)
            except ValueError:
                continue
            if not isinstance(message, dict):
                continue
            if "method" not in message:
                answers.append(message)
            elif message.get("id") is not None:
                refusal = {"error": {"code": -32601, "message": "not supported"}}
                said = {"result": {}} if message["method"] == "ping" else refusal
                self._send({"id": message["id"], **said})
        return answers


def _keep(server: str, spec: dict[str, Any], tells: int) -> None:
    """The keeper, until the server ends."""
    os.setsid()
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    workspace = os.path.join(_folder(), "cwd")
    if not os.path.exists(workspace):
        os.symlink(os.getcwd(), workspace)
    log = os.open(os.path.join(_folder(), f"{server}.log"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    # Not even the lock: it would stay taken.
    for descriptor in range(3, 256):
        if descriptor not in (log, tells):
            try:
                os.close(descriptor)
            except OSError:
                pass
    process = subprocess.Popen(
        spec["command"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=log,
        env={**os.environ, **spec.get("environment", {})},
        cwd=workspace,
    )
    os.close(log)
    speaker = _Server(process)
    _initialize(speaker)
    os.chdir(_folder())
    if os.path.exists(f"{server}.sock"):
        os.unlink(f"{server}.sock")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(f"{server}.sock")
    listener.listen(16)
    os.write(tells, _READY)
    os.close(tells)
    try:
        while True:
            readable, _, _ = select.select([listener.fileno(), speaker.output], [], [])
            if speaker.output in readable:
                speaker.answers()
            if listener.fileno() in readable:
                connection, _ = listener.accept()
                with connection:
                    _serve(speaker, connection)
    except (_Ended, BrokenPipeError):
        os.unlink(f"{server}.sock")
    finally:
        process.kill()
        os._exit(0)


def _initialize(speaker: _Server) -> None:
    first = speaker.request("initialize", mcp_http.INITIALIZE)
    while True:
        readable, _, _ = select.select([speaker.output], [], [], _START_SECONDS)
        if not readable:
            raise _Ended(f"no answer to initialize within {_START_SECONDS:g} s")
        for answer in speaker.answers():
            if answer.get("id") == first:
                error = answer.get("error")
                if error is not None:
                    said = error.get("message") if isinstance(error, dict) else error
                    raise _Ended(f"initialize: {said}")
                speaker.notify("notifications/initialized", {})
                return


def _serve(speaker: _Server, connection: socket.socket) -> None:
    """One request of a client, who may leave: a command at its limit."""
    try:
        line = b""
        while not line.endswith(b"\n"):
            part = connection.recv(65536)
            if not part:
                return
            line += part
        asked = json.loads(line)
    except (OSError, ValueError):
        return
    number = speaker.request(asked["method"], asked["params"])
    while True:
        readable, _, _ = select.select([connection.fileno(), speaker.output], [], [])
        if speaker.output in readable:
            for answer in speaker.answers():
                if answer.get("id") == number:
                    try:
                        connection.sendall(json.dumps(answer).encode() + b"\n")
                    except OSError:
                        pass
                    return
        elif connection.fileno() in readable:
            speaker.notify("notifications/cancelled", {"requestId": number})
            return
