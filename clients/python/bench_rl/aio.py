"""The client for asyncio: thousands of episodes, no thread for any of them.

client = AsyncBenchClient("http://127.0.0.1:8123/t/<token>")
episode = await client.reset(task="battleOfSexes", seed=7)
step = await episode.step("ls")
"""

from __future__ import annotations

import asyncio
import http.client
import io
import json
import os
import time
import uuid
from typing import Any, cast
from urllib.parse import urlsplit

from .client import WAIT_S, Step, action_body, step_of
from .http import PAUSE_S, is_away, refused, shown

__all__ = ["AsyncBenchClient", "AsyncEpisode"]


class _Received:
    """An answer that has come, for http.client to read."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def makefile(self, _mode: str) -> io.BytesIO:
        return io.BytesIO(self._data)


class AsyncEpisode:
    """An episode that has begun; as `Episode`."""

    def __init__(self, client: AsyncBenchClient, begun: dict[str, Any]) -> None:
        self._client = client
        self.id: str = begun["episode_id"]
        self.observation: str = begun["observation"]["message"]
        self.info: dict[str, Any] = begun["info"]
        self.seq: int = self.info["action_seq"]

    async def step(self, action: str | dict[str, Any], policy_version: int | None = None) -> Step:
        """Execute a command, or `{"reply": text}`, and wait for its outcome, however long it takes."""
        seq = self.seq + 1
        body = action_body(action, seq, policy_version)
        path = f"/v1/episodes/{self.id}"
        status, document = await self._client.ask("POST", f"{path}/step", body)
        self.seq = seq
        while status == 202:
            status, document = await self._client.ask("GET", f"{path}/steps/{seq}?wait_s={WAIT_S}")
        return step_of(document)

    async def interrupt(self) -> None:
        """End the command that runs: its step returns."""
        await self._client.ask("POST", f"/v1/episodes/{self.id}/interrupt", {})

    async def close(self) -> None:
        """Give it up; one that has ended stays as it is."""
        await self._client.ask("DELETE", f"/v1/episodes/{self.id}")


class AsyncBenchClient:
    """A server of episodes; as `BenchClient`."""

    def __init__(
        self, url: str, token: str | None = None, patience_s: float = 600, timeout_s: float = 120
    ) -> None:
        self._url = url.rstrip("/")
        self._token = token if token is not None else os.environ.get("BENCH_ENV_TOKEN")
        self._patience_s = patience_s
        self._timeout_s = timeout_s

    async def reset(self, **keys: Any) -> AsyncEpisode:
        """Begin an episode: `task`, `seed`, `reward`, `group`, `max_steps`, `fork_of` with `at_step`, …"""
        begun = {"episode_id": f"e-{uuid.uuid4().hex}", **keys}
        _, document = await self.ask("POST", "/v1/episodes", begun)
        return AsyncEpisode(self, document)

    async def ask(self, method: str, path: str, body: Any = None) -> tuple[int, dict[str, Any]]:
        """The status and the document. BenchError: the request is refused. OSError: no answer for `patience_s`."""
        until = time.monotonic() + self._patience_s
        while True:
            try:
                exchange = self._exchange(method, path, body)
                response, text = await asyncio.wait_for(exchange, self._timeout_s)
                if response.status < 400:
                    return response.status, json.loads(text)
            except (
                OSError, http.client.HTTPException, json.JSONDecodeError, asyncio.TimeoutError,
            ) as error:  # fmt: skip
                if time.monotonic() > until:
                    raise ConnectionError(
                        f"{shown(self._url)} has not answered for {self._patience_s:g} s"
                    ) from error
                await asyncio.sleep(PAUSE_S)
                continue
            if not is_away(response.status, response.headers, text) or time.monotonic() > until:
                return refused(self._url, response.status, text)
            await asyncio.sleep(float(response.getheader("Retry-After") or PAUSE_S))

    async def _exchange(
        self, method: str, path: str, body: Any
    ) -> tuple[http.client.HTTPResponse, bytes]:
        at = urlsplit(self._url + path)
        secure = at.scheme == "https"
        assert at.hostname is not None, f"{shown(self._url)} names no host"
        data = b"" if body is None else json.dumps(body).encode()
        headers = {
            "Host": at.netloc,
            "Connection": "close",
            "Content-Type": "application/json",
            "Content-Length": str(len(data)),
            **({} if self._token is None else {"Authorization": f"Bearer {self._token}"}),
        }
        target = at.path + (f"?{at.query}" if at.query else "")
        head = f"{method} {target} HTTP/1.1\r\n"
        head += "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        reader, writer = await asyncio.open_connection(
            at.hostname, at.port or (443 if secure else 80), ssl=secure or None
        )
        try:
            writer.write(f"{head}\r\n".encode() + data)
            await writer.drain()
            received = await reader.read(-1)
        finally:
            writer.close()
        # Typed for sockets, of which it uses makefile() alone.
        response = http.client.HTTPResponse(cast(Any, _Received(received)), method=method)
        response.begin()
        return response, response.read()
