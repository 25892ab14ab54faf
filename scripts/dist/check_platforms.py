#!/usr/bin/env python3
"""Builds and links every crate that is shipped for the other platforms: `make check-platforms`.

    make check-platforms                                   all but the machine's own
    make check-platforms TARGETS="aarch64-apple-darwin"    some

Nothing is run, and nothing is optimized. It takes the work tree's last commit. A platform whose toolchain is
not to be had is skipped in one line.
"""

import argparse
import os

from commands import Failure, main_of, output, say
from native import crates
from source import export
from targets import TARGETS, chosen
from toolchain import Toolchain, available

# The native halves, which are published as packages of their languages.
BINDINGS = [
    "extline-python",
    "extline-python-model",
    "extline-python-testing",
    "extline-node",
    "extline-node-model",
    "extline-node-testing",
    "extline-c",
    "extline-c-model",
]


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    listed = ", ".join(target.triple for target in TARGETS)
    words.add_argument("--targets", default=os.environ.get("TARGETS", ""), metavar="'T ...'", help=f"of {listed}")
    names = words.parse_args().targets.split()
    export()
    own = output(["rustc", "--print", "host-tuple"])
    failed = []
    for target in chosen(names or [target.triple for target in TARGETS if target.triple != own]):
        reason = available(target)
        if reason:
            say(f"  skipped: {target.triple}, {reason}")
            continue
        try:
            toolchain = Toolchain(target)
            say(f"{target.triple}, {toolchain.kind}")
            toolchain.build(f"check {target.triple}", [*crates(), *BINDINGS], profile="dev")
        except Failure as failure:
            say(f"error: {failure}")
            failed.append(target.triple)
    if failed:
        raise Failure(f"not built: {', '.join(failed)}")
    return 0


if __name__ == "__main__":
    main_of(main)
