"""HTTP with limits on time and size.

Proxies come from the environment, as for every other program.
"""

from __future__ import annotations

import http.client
import time
import urllib.error
import urllib.request

from .failure import Failure

_SECONDS_WITHOUT_BYTE = 20
_AGENT = "bench-agent-tools/1"


class TooManyRequests(Exception):
    """The server asks to come back later."""


def fetch(url: str, most_bytes: int, most_seconds: float, headers: dict[str, str]) -> bytes:
    """Raises Failure with one line, and TooManyRequests."""
    if not url.lower().startswith(("https://", "http://")):
        raise Failure(f"Error: {url} is not an http or https address.")
    end = time.monotonic() + most_seconds
    try:
        request = urllib.request.Request(url, headers={"User-Agent": _AGENT, **headers})
        with urllib.request.build_opener(_SameKind).open(
            request, timeout=_SECONDS_WITHOUT_BYTE
        ) as response:
            chunks, size = [], 0
            while chunk := response.read1(256 * 1024):
                chunks.append(chunk)
                size += len(chunk)
                if size > most_bytes:
                    raise Failure(f"Error: {url} sends more than {most_bytes} bytes.", 1)
                if time.monotonic() > end:
                    raise Failure(f"Error: {url} took longer than {most_seconds:.0f} seconds.", 1)
            return b"".join(chunks)
    except urllib.error.HTTPError as error:
        if error.code == 429:
            raise TooManyRequests() from None
        raise Failure(f"Error: {url} answers with status {error.code}.", 1) from None
    except urllib.error.URLError as error:
        raise Failure(f"Error: {_host(url)} cannot be reached: {error.reason}.", 1) from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise Failure(
            f"Error: {url} could not be fetched: {error or type(error).__name__}.", 1
        ) from None


def _host(url: str) -> str:
    return url.split("/")[2] or url


class _SameKind(urllib.request.HTTPRedirectHandler):
    """A redirect leads to http or https, never to a file."""

    def redirect_request(self, req, fp, code, msg, headers, newurl):  # type: ignore[no-untyped-def]
        if not newurl.lower().startswith(("https://", "http://")):
            raise Failure(
                f"Error: {req.full_url} leads to {newurl[:100]}, which is not an http or https address.",
                1,
            )
        return super().redirect_request(req, fp, code, msg, headers, newurl)
