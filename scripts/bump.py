#!/usr/bin/env python3
"""Gives all packages another version, and renews the lock files: `make bump VERSION=0.2.0`.

It changes the places of docs/contributing/release.md, and nothing else: the changelog is written by hand.
`protocol/tests/versions.rs` holds the places to each other.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NUMBER = r"\d+\.\d+\.\d+"
# Each file, and what stands before and behind the version there.
PLACES = {
    "Cargo.toml": [
        (r'^\[workspace\.package\]\nversion = "', '"$'),
        (r'^extline[a-z-]* = \{ path = "[a-z/-]+", version = "', '"'),
    ],
    "sdk-python/python/extline/__init__.py": [(r'^__version__ = "', '"$')],
    "sdk-node/package.json": [(r'^  "version": "', '",$')],
    # The two of the package itself; npm would ask the registry for all others.
    "sdk-node/package-lock.json": [
        (r'\A\{\n  "name": "extline",\n  "version": "', '",$'),
        (r'^    "": \{\n      "name": "extline",\n      "version": "', '",$'),
    ],
    "sdk-c/include/extline.h": [(r'^#define EXTLINE_VERSION "', '"$')],
}
LOCKED = ["Cargo.toml", "protocol/fuzz/Cargo.toml"]


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("version", help="MAJOR.MINOR.PATCH")
    new = words.parse_args().version
    if not re.fullmatch(NUMBER, new):
        sys.exit(f"error: {new} is no version: it is MAJOR.MINOR.PATCH, as 0.2.0")
    texts = {file: (ROOT / file).read_text() for file in PLACES}
    [(before, behind), *_] = PLACES["Cargo.toml"]
    old = re.search(f"{before}({NUMBER}){behind}", texts["Cargo.toml"], re.MULTILINE)[1]
    changed = {}
    for file, patterns in PLACES.items():
        text, count = texts[file], 0
        for before, behind in patterns:
            pattern = re.compile(f"({before}){re.escape(old)}({behind})", re.MULTILINE)
            text, found = pattern.subn(rf"\g<1>{new}\g<2>", text)
            if found == 0:
                sys.exit(f"error: {file} does not have {old} where scripts/bump.py looks for it; nothing is changed")
            count += found
        changed[file] = (text, count)
    for file, (text, count) in changed.items():
        (ROOT / file).write_text(text)
        print(f"{file}: {old} -> {new}, {count} {'place' if count == 1 else 'places'}")
    for manifest in LOCKED:
        command = ["cargo", "update", "--workspace", "--quiet", "--manifest-path", manifest]
        if subprocess.run(command, cwd=ROOT, check=False).returncode != 0:
            sys.exit(f"error: {' '.join(command)} failed; it asks the registry for what is missing")
        print(f"{Path(manifest).with_name('Cargo.lock')}: renewed")
    print("next: CHANGELOG.md, then make test; docs/contributing/release.md has the steps")


if __name__ == "__main__":
    main()
