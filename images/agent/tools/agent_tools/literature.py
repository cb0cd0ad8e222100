"""literature_search: openly accessible papers, from Semantic Scholar's bulk search."""

from __future__ import annotations

import json
import os
import time
import urllib.parse
from collections.abc import Iterator
from typing import Any

from . import download, editor
from .failure import Failure, UsageError

_ADDRESS = "https://api.semanticscholar.org/graph/v1/paper/search/bulk"
_FIELDS = "paperId,title,abstract,openAccessPdf"
_DEFAULT, _MOST = 20, 100
_MOST_BYTES = 16 * 1024 * 1024
_SECONDS = 60.0
_MOST_PAGES = 10
_TRIES = 3


def literature_search(arguments: list[str]) -> None:
    if not 1 <= len(arguments) <= 2 or arguments[0].strip() == "":
        raise UsageError()
    wanted = _DEFAULT
    if len(arguments) == 2 and arguments[1] != "":
        number = editor.number(arguments[1])
        if number is None or not 1 <= number <= _MOST:
            raise UsageError(f"Error: <num_results> must be a number from 1 to {_MOST}")
        wanted = number
    shown = 0
    for paper in _papers(arguments[0]):
        print(json.dumps(paper, ensure_ascii=False))
        shown += 1
        if shown == wanted:
            return
    if shown == 0:
        print(f'No papers found for "{arguments[0]}"')


def _papers(query: str) -> Iterator[Any]:
    # Another address of the same interface: a mirror.
    base = os.environ.get("LITERATURE_SEARCH_URL") or _ADDRESS
    key = os.environ.get("S2_API_KEY")
    headers = {"x-api-key": key} if key else {}
    token = None
    for _ in range(_MOST_PAGES):
        parameters = {"query": query, "fields": _FIELDS, "openAccessPdf": ""}
        if token is not None:
            parameters["token"] = token
        page = _page(f"{base}?{urllib.parse.urlencode(parameters)}", headers)
        for paper in page["data"]:
            if not isinstance(paper, dict):
                continue
            pdf = paper.get("openAccessPdf")
            yield {
                "paperId": paper.get("paperId"),
                "title": paper.get("title"),
                "abstract": paper.get("abstract"),
                "pdf_url": pdf.get("url") if isinstance(pdf, dict) else None,
            }
        token = page.get("token")
        if not isinstance(token, str) or token == "":
            return


def _page(url: str, headers: dict[str, str]) -> Any:
    for attempt in range(_TRIES):
        if attempt > 0:
            time.sleep(2**attempt)
        try:
            page = json.loads(download.fetch(url, _MOST_BYTES, _SECONDS, headers))
        except download.TooManyRequests:
            continue
        except (ValueError, RecursionError):
            raise Failure("Error: the answer of the literature search is not JSON.", 1) from None
        if not isinstance(page, dict) or not isinstance(page.get("data"), list):
            raise Failure("Error: the answer of the literature search has no list of papers.", 1)
        return page
    raise Failure(
        "Error: the literature search has too many requests at the moment. Try again in a later step.",
        1,
    )
