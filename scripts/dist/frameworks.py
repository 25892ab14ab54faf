"""Apple's frameworks, as far as a linker wants to see them: their names, and those of their functions.

Zig brings macOS's library of C and no framework. The command asks two of them which certificates the system
trusts. What a linker reads of a framework is a text file with the names in it; it is written here, with the
names that the crates declare which call them. Where there is an SDK of Apple, that is taken.
"""

import functools
import json
import os
import re
import sys
from pathlib import Path

from commands import WORK, Failure, output
from source import SOURCE

# The crates that declare what each framework has.
CRATES = {"CoreFoundation": "core-foundation-sys", "Security": "security-framework-sys"}
STUB = """\
--- !tapi-tbd
tbd-version:     4
targets:         [ x86_64-macos, arm64-macos ]
install-name:    '/System/Library/Frameworks/{name}.framework/Versions/A/{name}'
exports:
  - targets:         [ x86_64-macos, arm64-macos ]
    symbols:         [ {symbols} ]
...
"""


@functools.cache
def flags():
    """What rustc is told to find them; nothing where an SDK is there."""
    if sys.platform == "darwin" or os.environ.get("SDKROOT"):
        return []
    folder = WORK / "frameworks"
    for name, crate in CRATES.items():
        place = folder / f"{name}.framework" / f"{name}.tbd"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(STUB.format(name=name, symbols=", ".join(_symbols(crate))))
    return [f"-Clink-arg=-F{folder}"]


def _symbols(crate):
    metadata = json.loads(output(["cargo", "metadata", "--locked", "--format-version", "1"], cwd=SOURCE))
    manifests = [package["manifest_path"] for package in metadata["packages"] if package["name"] == crate]
    if len(manifests) != 1:
        raise Failure(f"there are {len(manifests)} versions of the crate {crate} in Cargo.lock, and one is expected")
    declared = set()
    for file in Path(manifests[0]).parent.glob("src/**/*.rs"):
        declared |= set(re.findall(r"\bpub (?:unsafe )?(?:fn|static(?: mut)?) (\w+)", file.read_text()))
    return sorted(f"_{name}" for name in declared)
