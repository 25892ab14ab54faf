"""Archives whose bytes depend on what is in them alone: sorted, with one time, one owner and plain modes."""

import gzip
import tarfile
import time
import zipfile
from io import BytesIO

from source import epoch

# Zip knows no time before.
EARLIEST = 315532800


def packed(path, files):
    """Writes a zip or a tar, as its name says."""
    if path.suffix == ".zip":
        zip_file(path, dict(sorted(files.items())))
    else:
        tar_gz(path, files)


def tar_gz(path, files):
    """Writes `{name in the archive: file, or bytes, or a link as ("->", target)}`; an executable file stays one."""
    plain = BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name in sorted(files):
            member = tarfile.TarInfo(name)
            member.mtime = epoch()
            if isinstance(files[name], tuple):
                member.type, member.linkname, member.mode = tarfile.SYMTYPE, files[name][1], 0o777
                archive.addfile(member)
                continue
            content, is_program = content_of(files[name])
            member.size, member.mode = len(content), 0o755 if is_program else 0o644
            archive.addfile(member, BytesIO(content))
    # No name and no time in gzip's own header.
    path.write_bytes(gzip.compress(plain.getvalue(), compresslevel=9, mtime=0))


def zip_file(path, files):
    """The same as a zip: in the order given, as a wheel wants its metadata last."""
    when = time.gmtime(max(epoch(), EARLIEST))[:6]
    with zipfile.ZipFile(path, "w") as archive:
        for name, file in files.items():
            content, is_program = content_of(file)
            member = zipfile.ZipInfo(name, when)
            member.compress_type = zipfile.ZIP_DEFLATED
            member.create_system = 3
            member.external_attr = (0o100755 if is_program else 0o100644) << 16
            archive.writestr(member, content)


def content_of(file):
    """The bytes of a file, and whether it is a program; bytes alone are none."""
    if isinstance(file, bytes):
        return file, False
    return file.read_bytes(), bool(file.stat().st_mode & 0o100)
