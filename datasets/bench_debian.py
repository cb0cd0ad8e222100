"""Files out of a Debian package, without its tools."""

import io
import tarfile


def package_files(path, wanted):
    """{name: bytes} of files in a .deb; names as they would be installed, without the leading slash."""
    found = {}
    with tarfile.open(fileobj=io.BytesIO(data_archive(path))) as archive:
        for member in archive:
            name = member.name[2:] if member.name.startswith("./") else member.name
            if name in wanted and member.isfile():
                found[name] = archive.extractfile(member).read()
    missing = [name for name in wanted if name not in found]
    if missing:
        raise ValueError("%s does not hold %s" % (path, ", ".join(missing)))
    return found


def data_archive(path):
    """The member data.tar.* of the `ar` archive that a package is."""
    with open(path, "rb") as file:
        if file.read(8) != b"!<arch>\n":
            raise ValueError("%s is no Debian package" % path)
        while True:
            header = file.read(60)
            if len(header) < 60:
                raise ValueError("%s has no data.tar" % path)
            name, size = header[:16].decode().strip().rstrip("/"), int(header[48:58])
            if name.startswith("data.tar"):
                return file.read(size)
            file.seek(size + size % 2, 1)
