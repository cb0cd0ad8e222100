"""A server of the Model Context Protocol over streamable HTTP.

Each request is a POST. The server's session outlives a command: `<server>.session` holds its id and
the protocol's version.
"""

from __future__ import annotations

import fcntl
import http.client
import json
import os
import urllib.error
import urllib.request
from typing import IO, Any

from .failure import Failure

VERSION = "2025-06-18"
INITIALIZE: dict[str, Any] = {
    "protocolVersion": VERSION,
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}
_MOST_BODY = 32 * 1024 * 1024
_MOST_ERROR = 500
# A longer wait is the limit of the command.
_WAIT_SECONDS = 3600.0
_INITIALIZE_ID = 1
_ID = 2


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Another address is not the one that the agent's file names."""

    def redirect_request(self, *_args: Any, **_more: Any) -> None:
        return None


_OPENER = urllib.request.build_opener(_NoRedirect)


class _SessionGone(Exception):
    """The server has forgotten the session, and has not handled the request."""


def ask(server: str, url: str, folder: str, method: str, params: dict[str, Any]) -> dict[str, Any]:
    """The answer, as the protocol has it. Raises Failure where there is none."""
    message = {"jsonrpc": "2.0", "id": _ID, "method": method, "params": params}
    for _ in range(2):
        session = _session(server, url, folder)
        try:
            answer, _headers = _post(server, url, session, message)
        except _SessionGone:
            _forget(server, folder, session)
            continue
        if answer is None:
            raise Failure(f"Error: MCP server {server} accepted {method} without an answer.", 1)
        return answer
    raise _forgetful(server)


def _forgetful(server: str) -> Failure:
    return Failure(f"Error: MCP server {server} forgets each session at once.", 1)


def _session(server: str, url: str, folder: str) -> dict[str, str]:
    """The one that an earlier command began, or a new one."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    path = os.path.join(folder, f"{server}.session")
    with open(os.path.join(folder, f"{server}.lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            with open(path, encoding="utf-8") as file:
                known: dict[str, str] = json.load(file)
            if known.get("url") == url:
                return known
        except (OSError, ValueError, AttributeError):
            pass
        session = _initialize(server, url)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(session, file)
        return session


def _initialize(server: str, url: str) -> dict[str, str]:
    message = {"jsonrpc": "2.0", "id": _INITIALIZE_ID, "method": "initialize", "params": INITIALIZE}
    answer, headers = _post(server, url, {}, message)
    if answer is None or answer.get("error") is not None:
        said = ((answer or {}).get("error") or {}).get("message", "there is no answer")
        raise Failure(f"MCP server {server} did not start: initialize: {said}", 1)
    agreed = (answer.get("result") or {}).get("protocolVersion", VERSION)
    session = {"url": url, "version": str(agreed)}
    if headers.get("Mcp-Session-Id"):
        session["id"] = headers["Mcp-Session-Id"]
    try:
        _post(server, url, session, {"jsonrpc": "2.0", "method": "notifications/initialized"})
    except _SessionGone:
        raise _forgetful(server) from None
    return session


def _forget(server: str, folder: str, session: dict[str, str]) -> None:
    path = os.path.join(folder, f"{server}.session")
    with open(os.path.join(folder, f"{server}.lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            with open(path, encoding="utf-8") as file:
                if json.load(file) == session:
                    os.unlink(path)
        except (OSError, ValueError):
            pass


def _post(
    server: str, url: str, session: dict[str, str], message: dict[str, Any]
) -> tuple[dict[str, Any] | None, Any]:
    """The answer to the message, null for a notification, and the headers."""
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        **({"MCP-Protocol-Version": session["version"]} if "version" in session else {}),
        **({"Mcp-Session-Id": session["id"]} if "id" in session else {}),
    }
    request = urllib.request.Request(url, json.dumps(message).encode(), headers, method="POST")
    try:
        with _OPENER.open(request, timeout=_WAIT_SECONDS) as response:
            if "id" not in message:
                return None, response.headers
            kind = response.headers.get_content_type()
            found = (
                _from_events(response, message["id"])
                if kind == "text/event-stream"
                else _message(response.read(_MOST_BODY + 1), message["id"])
            )
            if found is None:
                raise Failure(
                    f"Error: MCP server {server} ended its answer early; the call's effects are unknown.",
                    1,
                )
            return found, response.headers
    except urllib.error.HTTPError as error:
        if error.code == 404 and "id" in session:
            raise _SessionGone() from None
        said = error.read(_MOST_ERROR).decode("utf-8", "replace").strip()
        raise Failure(f"Error: MCP server {server} answers {error.code}: {said}", 1) from None
    except urllib.error.URLError as error:
        raise Failure(f"Error: MCP server {server} is not reached: {error.reason}", 1) from None
    except (OSError, http.client.HTTPException) as error:
        raise Failure(
            f"Error: MCP server {server} ended its answer early ({error}); the call's effects are unknown.",
            1,
        ) from None


def _message(text: bytes, number: int) -> dict[str, Any] | None:
    if len(text) > _MOST_BODY:
        raise Failure(f"Error: the answer is longer than {_MOST_BODY} bytes", 1)
    try:
        found = json.loads(text)
    except ValueError:
        return None
    for one in found if isinstance(found, list) else [found]:
        if not isinstance(one, dict) or "method" in one or one.get("id") != number:
            continue
        # Of another form it is no answer; some servers send both, one of them as null.
        if all(isinstance(one.get(key) or {}, dict) for key in ("result", "error")):
            return one
    return None


def _from_events(response: IO[bytes], number: int) -> dict[str, Any] | None:
    """The message among the events that answers the request; others are notifications."""
    data: list[bytes] = []
    read = 0
    while True:
        line = response.readline(_MOST_BODY + 1)
        read += len(line)
        if read > _MOST_BODY:
            raise Failure(f"Error: the answer is longer than {_MOST_BODY} bytes", 1)
        if line.strip() == b"":
            found = _message(b"\n".join(data), number) if data else None
            if found is not None or line == b"":
                return found
            data = []
        elif line.startswith(b"data:"):
            data.append(line[5:].strip())
