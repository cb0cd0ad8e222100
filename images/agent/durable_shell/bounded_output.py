"""Keeps the head and the tail of a stream, counts the rest: any amount of output costs the same
memory.
"""

from __future__ import annotations

import codecs


class BoundedOutput:
    def __init__(self, head_bytes: int, tail_bytes: int) -> None:
        self._head_bytes = head_bytes
        self._tail_bytes = tail_bytes
        self._head = bytearray()
        self._tail = bytearray()
        self.total = 0

    def add(self, chunk: bytes | memoryview) -> None:
        self.total += len(chunk)
        room = self._head_bytes - len(self._head)
        if room > 0:
            self._head += chunk[:room]
            chunk = chunk[room:]
        if len(chunk) >= self._tail_bytes:
            self._tail[:] = chunk[len(chunk) - self._tail_bytes :]
        elif len(chunk) > 0:
            self._tail += chunk
            if len(self._tail) > 4 * self._tail_bytes:
                del self._tail[: -self._tail_bytes]

    def text(self) -> str:
        """UTF-8 with bad bytes replaced; between head and tail a line that counts the bytes left
        out.
        """
        tail = bytes(self._tail[-self._tail_bytes :])
        if len(self._head) + len(tail) == self.total:
            return (bytes(self._head) + tail).decode("utf-8", "replace")
        # A character cut in two by the limits is left out whole.
        head = codecs.getincrementaldecoder("utf-8")("replace").decode(bytes(self._head), False)
        cut = 0
        while cut < min(3, len(tail)) and tail[cut] & 0xC0 == 0x80:
            cut += 1
        left_out = self.total - len(self._head) - len(tail) + cut
        return f"{head}\n[... {left_out} bytes of output not shown ...]\n{tail[cut:].decode('utf-8', 'replace')}"
