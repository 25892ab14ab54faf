#!/usr/bin/env python3
"""The linker of the command for Linux: zig's, and then LLD once more, which makes one function of equal ones.

Zig passes no option for that on, but says how it calls LLD when it is asked to, and carries it as `zig ld.lld`.
"""

import os
import shlex
import subprocess
import sys

# Names the variable that has the compiler of cargo-zigbuild in it, which cargo would call as the linker.
COMPILER = "EXTLINE_FOLD"


def main():
    command = [os.environ[os.environ[COMPILER]], *sys.argv[1:]]
    env = os.environ | {"ZIG_VERBOSE_LINK": "1"}
    linked = subprocess.run(command, check=False, stderr=subprocess.PIPE, text=True, env=env)
    calls = [line for line in linked.stderr.splitlines() if line.startswith("ld.lld ")]
    if linked.returncode != 0:
        sys.stderr.write(linked.stderr)
        return linked.returncode
    if not calls:
        return "zig did not say how it called ld.lld"
    # Those before the last are for what zig links for itself.
    again = [sys.executable, "-m", "ziglang", *shlex.split(calls[-1]), "--icf=all"]
    return subprocess.run(again, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
