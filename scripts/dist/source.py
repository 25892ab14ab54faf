"""The source that packages are made from: the commit, not what lies about in the work tree."""

import functools
import os
import re
import subprocess
import tarfile
from io import BytesIO

from commands import ROOT, WORK, output, say

SOURCE = WORK / "source"


def export():
    """Brings SOURCE to the state of HEAD. A file that is as it was keeps its time, so that cargo builds
    what has changed and no more."""
    changed = output(["git", "status", "--porcelain"], cwd=ROOT).splitlines()
    if changed:
        say(f"  {len(changed)} changes since the last commit are not in the packages: git status")
    packed = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, check=True, capture_output=True).stdout
    SOURCE.mkdir(parents=True, exist_ok=True)
    wanted = set()
    with tarfile.open(fileobj=BytesIO(packed)) as archive:
        for member in archive:
            if member.isfile():
                wanted.add(member.name)
                _write(SOURCE / member.name, archive.extractfile(member).read(), member.mode)
            elif member.issym():
                wanted.add(member.name)
                link = SOURCE / member.name
                link.unlink(missing_ok=True)
                link.symlink_to(member.linkname)
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True)
    folders = {name.split("/")[0] for name in tracked.stdout.split("\0") if "/" in name}
    for folder in folders:
        for file in (SOURCE / folder).rglob("*"):
            name = str(file.relative_to(SOURCE))
            is_made = "node_modules" in file.parts or file.suffix in (".so", ".pyd", ".pyc", ".node")
            if file.is_file() and name not in wanted and not is_made:
                file.unlink()
    return SOURCE


def _write(path, content, mode):
    if not path.is_file() or path.read_bytes() != content:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    path.chmod(0o755 if mode & 0o100 else 0o644)


def version():
    """The version that all packages carry."""
    manifest = (ROOT / "Cargo.toml").read_text()
    return re.search(r'^\[workspace\.package\]\nversion = "(.+)"$', manifest, re.MULTILINE)[1]


@functools.cache
def epoch():
    """The time of the commit, which every file in every archive gets."""
    return int(os.environ.get("SOURCE_DATE_EPOCH") or output(["git", "log", "-1", "--format=%ct"], cwd=ROOT))
