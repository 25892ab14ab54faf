#!/usr/bin/env python3
"""Installs what lies in dist/ into emptied environments, and uses it: `make dist-test`.

    make dist-test                        all that can be run or read here
    make dist-test PARTS="python c"       some

In each environment the path has the interpreter or the compiler and nothing else. An extension of
`extline new` is called, asked as an MCP server, and held to the protocol by `extline conformance`.
"""

import argparse
import os
import shutil

import macos_files
import use_emulated
import use_packages
import use_windows
from commands import DIST, Failure, main_of, run
from rooms import PLACE

PARTS = {
    "python": ("Python, and nothing else", use_packages.python),
    "node": ("Node, and nothing else", use_packages.node),
    "c": ("a compiler, make and pkg-config", use_packages.c),
    "debian": ("the Debian packages", use_packages.debian),
    "sh": ("sh alone", use_packages.shell),
    "rust": ("cargo and a linker, with the crates", use_packages.rust),
    "musl": ("what is made for musl", use_emulated.musl),
    "aarch64": ("what is made for aarch64, under qemu", use_emulated.aarch64),
    "windows": ("what is made for Windows, under wine", use_windows.check),
    "macos": ("what is made for macOS", macos_files.check),
}


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--parts", default=os.environ.get("PARTS", ""), metavar="'P ...'", help=f"of {', '.join(PARTS)}")
    names = words.parse_args().parts.split() or list(PARTS)
    for name in names:
        if name not in PARTS:
            raise Failure(f"there is no part {name}; the parts are {', '.join(PARTS)}")
    if not (DIST / "SHA256SUMS").is_file():
        raise Failure("there is no dist/SHA256SUMS: make dist makes it")
    run("sha256sum", ["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=DIST, quiet=True)
    used = [use_packages.told(*PARTS[name]) for name in names]
    shutil.rmtree(PLACE, ignore_errors=True)
    print(f"{sum(used)} of {len(used)} parts used, {len(used) - sum(used)} skipped")
    return 0


if __name__ == "__main__":
    main_of(main)
