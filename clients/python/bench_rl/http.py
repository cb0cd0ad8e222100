"""Requests that ride out a server, or services of it, that restart."""

from __future__ import annotations

import http.client
import json
import re
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from email.message import Message
from typing import Any

PAUSE_S = 0.25
STARTING = "X-Backend-State"


class BenchError(Exception):
    """What the server refused: `code` as in its error, `remedy` what to do about it."""

    def __init__(self, status: int, code: str, message: str, remedy: str | None) -> None:
        super().__init__(message if remedy is None else f"{message}. {remedy}")
        self.status = status
        self.code = code
        self.remedy = remedy


def shown(url: str) -> str:
    """For messages: without the token."""
    return re.sub(r"/t/[^/?#]+", "", url)


class Connection:
    """Every request here may be sent twice: an episode and a fork have an id, an action a number."""

    def __init__(self, url: str, token: str | None, patience_s: float, timeout_s: float) -> None:
        self._url = url.rstrip("/")
        self._token = token
        self._patience_s = patience_s
        self._timeout_s = timeout_s

    def ask(self, method: str, path: str, body: Any = None) -> tuple[int, dict[str, Any]]:
        """The status and the document. BenchError: the request is refused. OSError: no answer for `patience_s`."""
        until = time.monotonic() + self._patience_s
        while True:
            try:
                with self._open(method, path, body) as answer:
                    status, headers, text = answer.status, answer.headers, answer.read()
                if status < 400:
                    return status, json.loads(text)
            except (OSError, http.client.HTTPException, json.JSONDecodeError) as error:
                if time.monotonic() > until:
                    raise ConnectionError(
                        f"{shown(self._url)} has not answered for {self._patience_s:g} s"
                    ) from error
                time.sleep(PAUSE_S)
                continue
            if not is_away(status, headers, text) or time.monotonic() > until:
                return refused(self._url, status, text)
            time.sleep(float(headers.get("Retry-After") or PAUSE_S))

    def lines(self, path: str, body: Any) -> Iterator[dict[str, Any]]:
        """The lines of an answer, each as it comes. They end early when the connection breaks."""
        try:
            with self._open("POST", path, body) as answer:
                if answer.status < 400:
                    for line in answer:
                        yield json.loads(line)
                    return
                status, headers, text = answer.status, answer.headers, answer.read()
        except (OSError, http.client.HTTPException, json.JSONDecodeError):
            return
        if not is_away(status, headers, text):
            refused(self._url, status, text)

    def _open(self, method: str, path: str, body: Any) -> Any:
        request = urllib.request.Request(self._url + path, method=method)
        if self._token is not None:
            request.add_header("Authorization", f"Bearer {self._token}")
        data = None if body is None else json.dumps(body).encode()
        if data is not None:
            request.add_header("Content-Type", "application/json")
        try:
            return urllib.request.urlopen(request, data, timeout=self._timeout_s)
        except urllib.error.HTTPError as answer:
            return answer


def is_away(status: int, headers: Message, text: bytes) -> bool:
    """The server starts, or what it needs does: the request is worth another try."""
    if headers.get(STARTING) is not None:
        return True
    return status == 503 and (_document(text).get("error") or {}).get("type") == "services"


def refused(url: str, status: int, text: bytes) -> tuple[int, dict[str, Any]]:
    """What an answer that is no success says. BenchError: a refusal."""
    document = _document(text)
    # An episode that failed by a fault of ours is an outcome, not a refusal.
    if "info" in document:
        return status, document
    error = document.get("error") or {}
    message = error.get("message") or f"{shown(url)} answers {status}"
    raise BenchError(status, error.get("code") or "unknown", message, error.get("remedy"))


def _document(text: bytes) -> dict[str, Any]:
    try:
        document = json.loads(text)
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}
