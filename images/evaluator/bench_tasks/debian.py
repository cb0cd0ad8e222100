"""Files out of a Debian package, without its tools."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Sequence


def package_files(path: str, wanted: Sequence[str]) -> dict[str, bytes]:
    """{name: content} of files in a .deb.

    Names are as they would be installed, without the leading slash. Raises ValueError if the
    package lacks one of them, or is none.
    """
    found = {}
    with tarfile.open(fileobj=io.BytesIO(_data_archive(path))) as archive:
        for member in archive:
            name = member.name[2:] if member.name.startswith("./") else member.name
            content = archive.extractfile(member) if name in wanted and member.isfile() else None
            if content is not None:
                found[name] = content.read()
    missing = [name for name in wanted if name not in found]
    if missing:
        raise ValueError(f"{path} does not hold {', '.join(missing)}")
    return found


def _data_archive(path: str) -> bytes:
    """The member data.tar.* of the `ar` archive that a package is."""
    with open(path, "rb") as file:
        if file.read(8) != b"!<arch>\n":
            raise ValueError(f"{path} is no Debian package")
        while True:
            header = file.read(60)
            if len(header) < 60:
                raise ValueError(f"{path} has no data.tar")
            name, size = header[:16].decode().strip().rstrip("/"), int(header[48:58])
            if name.startswith("data.tar"):
                return file.read(size)
            file.seek(size + size % 2, 1)
