"""parse_pdf_url: the text of a PDF, read by pypdf if it is there."""

from __future__ import annotations

import io
import resource
import signal
import sys
from typing import Any

from . import download
from .failure import Failure, UsageError

_MOST_BYTES = 50 * 1024 * 1024
_SECONDS = 120.0
_READING_SECONDS = 120
_READING_MEMORY = 2 * 1024 * 1024 * 1024
_MOST_PAGES = 200
_MOST_CHARACTERS = 100_000
# Less than this is no text layer but its crumbs.
_LEAST_CHARACTERS = 100


class _OutOfTime(Exception):
    pass


def parse_pdf_url(arguments: list[str]) -> None:
    if len(arguments) != 1 or arguments[0].strip() == "":
        raise UsageError()
    url = arguments[0].strip()
    reader = _reader()
    try:
        content = download.fetch(url, _MOST_BYTES, _SECONDS, {"Accept": "application/pdf"})
    except download.TooManyRequests:
        raise Failure(
            f"Error: {url} has too many requests at the moment. Try again in a later step.", 1
        ) from None
    if b"%PDF-" not in content[:1024]:
        raise Failure(f"Error: {url} is not a PDF.", 1)
    print(_text(reader, content, url))


def _reader() -> Any:
    # Isolated from the site's packages at the start, which none but this command needs.
    import sysconfig

    sys.path.extend(
        ["/opt/bench/lib", sysconfig.get_path("purelib"), "/usr/lib/python3/dist-packages"]
    )
    try:
        import pypdf
    except ImportError:
        raise Failure(
            "Error: PDFs cannot be read here: the Python package pypdf is not installed.", 1
        ) from None
    return pypdf


def _text(pypdf: Any, content: bytes, url: str) -> str:
    """At most so many pages and characters; a file made to use up time or memory ends with a
    message.
    """

    def stop(_number: int, _frame: object) -> None:
        raise _OutOfTime

    # Warnings about every oddity of a file.
    import logging

    logging.disable(logging.CRITICAL)
    resource.setrlimit(
        resource.RLIMIT_AS, (_READING_MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1])
    )
    signal.signal(signal.SIGALRM, stop)
    signal.alarm(_READING_SECONDS)
    parts: list[str] = []
    size, note = 0, ""
    try:
        pages = pypdf.PdfReader(io.BytesIO(content)).pages
        for index, page in enumerate(pages):
            if index == _MOST_PAGES or size > _MOST_CHARACTERS:
                note = f"[{len(pages) - index} of {len(pages)} pages are not shown]"
                break
            part = page.extract_text()
            parts.append(part)
            size += len(part)
    except _OutOfTime:
        note = f"[reading was stopped after {_READING_SECONDS} seconds; the rest is not shown]"
    except MemoryError:
        note = "[reading took too much memory; the rest is not shown]"
    # Whatever a library of this size can raise for a broken file.
    except Exception as error:
        if not parts:
            raise Failure(
                f"Error: the PDF at {url} cannot be read: {type(error).__name__}: {str(error)[:200]}",
                1,
            ) from None
        note = "[the rest cannot be read]"
    finally:
        signal.alarm(0)
    text = "\n\n".join(parts).replace("\0", "\ufffd").strip()
    if len(text) < _LEAST_CHARACTERS and not note:
        note = "[the PDF has next to no text: it may hold scanned pages]"
    if len(text) > _MOST_CHARACTERS:
        cut = len(text) - _MOST_CHARACTERS
        text = text[:_MOST_CHARACTERS]
        note = f"[{cut} more characters]" + (f"\n{note}" if note else "")
    return f"{text}\n{note}".strip()
