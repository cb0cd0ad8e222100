"""Images as PNG files, without a library, and the same bytes on every machine: nothing is
compressed.
"""

import struct
import zlib


def png(pixels):
    """`pixels`: rows of bytes, three for each pixel: red, green, blue."""
    size = struct.pack(">IIBBBBB", len(pixels[0]) // 3, len(pixels), 8, 2, 0, 0, 0)
    rows = b"".join(b"\0" + bytes(row) for row in pixels)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", size)
        + chunk(b"IDAT", stored(rows))
        + chunk(b"IEND", b"")
    )


def chunk(kind, content):
    return (
        struct.pack(">I", len(content))
        + kind
        + content
        + struct.pack(">I", zlib.crc32(kind + content))
    )


def stored(data):
    """In zlib's format, as one block that is not compressed: at most 65,535 bytes."""
    return (
        b"\x78\x01\x01"
        + struct.pack("<HH", len(data), len(data) ^ 0xFFFF)
        + data
        + struct.pack(">I", zlib.adler32(data))
    )
