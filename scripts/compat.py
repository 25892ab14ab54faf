#!/usr/bin/env python3
"""Whether what worked with the release before still works (docs/contributing/compatibility.md):

    scripts/compat.py               all of these, one after another
    scripts/compat.py crates        the API of the Rust crates, by cargo-semver-checks
    scripts/compat.py python        the native modules of the Python package keep to abi3, by abi3audit
    scripts/compat.py abi           libextline's ABI beside the dump in sdk-c/abi, by abidiff
    scripts/compat.py abi --write   makes that dump anew
    scripts/compat.py old           extensions of then under the host of now, and the reverse

The release before is the newest tag, or the revision in OLD, as OLD=main~20. What needs one says so where there
is none; a tool that is absent is skipped in one line.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import compat_abi
import compat_old
import tools

ROOT = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
WORK = ROOT / "target/compat"
# The oldest Python that the package is for.
ABI3 = "3.10"
# Whose API others use, in the order in which they use each other.
CRATES = [
    "extline-json",
    "extline-protocol",
    "extline-stdio",
    "extline-driver",
    "extline-scenario",
    "extline-mcp",
    "extline-model",
    "extline-schema",
    "extline-services",
    "extline-testing",
    "extline-host",
    "extline",
]


def main():
    os.chdir(ROOT)
    WORK.mkdir(parents=True, exist_ok=True)
    names = [word for word in sys.argv[1:] if not word.startswith("-")] or list(CHECKS)
    if any(name not in CHECKS for name in names):
        sys.exit(__doc__)
    if "--write" in sys.argv:
        build("extline-c")
        sys.exit(compat_abi.write(TARGET, WORK))
    failed = [name for name in names if not held(name)]
    sys.exit(f"\nnot compatible: {', '.join(failed)}" if failed else 0)


def held(name):
    print(f"\n== {name}", flush=True)
    return CHECKS[name]()


def revision_before():
    """The revision that OLD names, or the newest tag; None where there is neither."""
    if old := os.environ.get("OLD"):
        return old
    found = subprocess.run(
        ["git", "describe", "--tags", "--abbrev=0", "--match", "v[0-9]*", "HEAD^"], capture_output=True, text=True
    )
    if found.returncode:
        print("there is no release yet to compare with: OLD=REVISION compares with another commit")
    return found.stdout.strip() or None


def crates():
    if skips("cargo-semver-checks"):
        return True
    revision = revision_before()
    if not revision:
        return True
    chosen = [word for name in CRATES for word in ("-p", name)]
    command = [tools.where("cargo-semver-checks"), "semver-checks", "--baseline-rev", revision, *chosen]
    return ran(command, env=os.environ | {"CARGO_TARGET_DIR": str(WORK / "semver")})


def python():
    if skips("abi3audit"):
        return True
    # What is published, where that was made, and what stands for it where it was not.
    audited = sorted((ROOT / "dist").rglob("extline-*.whl"))
    if not audited:
        build("extline-python", "extline-python-model", "extline-python-testing")
        for module in ("native", "model_native", "testing_native"):
            place = WORK / f"_{module}.abi3.so"
            shutil.copy(library(f"extline_{module}"), place)
            audited.append(place)
    words = ["--strict", "--summary", "--assume-minimum-abi3", ABI3]
    return ran([tools.where("abi3audit"), *words, *map(str, audited)])


def abi():
    if skips("abidiff"):
        return True
    build("extline-c")
    return compat_abi.check(TARGET, WORK)


def old():
    revision = revision_before()
    if not revision:
        return True
    return compat_old.check(revision, TARGET, WORK)


def build(*packages):
    chosen = [word for name in packages for word in ("-p", name)]
    subprocess.run(["cargo", "build", "--locked", "--quiet", *chosen], check=True)


def library(name):
    found = [TARGET / f"debug/lib{name}.{ending}" for ending in ("so", "dylib")]
    return next(file for file in found if file.exists())


def skips(name):
    absent = tools.where(name) is None
    if absent:
        print(f"SKIPPED {name}: {tools.how(name)}")
    return absent


def ran(command, **options):
    print("+", *command, flush=True)
    return subprocess.run(command, **options).returncode == 0


CHECKS = {"crates": crates, "python": python, "abi": abi, "old": old}

if __name__ == "__main__":
    main()
