#!/usr/bin/env python3
"""Counts the instructions that one call costs the SDKs for Rust and C, and fails where they exceed a bound.

instructions.py [--no-build]

Unlike times, instructions do not depend on what else the machine does, so this guards against
regressions on any machine. It needs valgrind, and says so and ends well without it.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from candidates import BUILT, INSTRUCTIONS, candidates
from run import build, check_machine

# What starting and ending cost is in both, so the difference is that of the calls.
FEW, MANY = 1000, 3000


def main():
    if not shutil.which("valgrind"):
        print("skipped: instructions are counted with valgrind, which is not here")
        return
    chosen = [candidate for candidate in candidates("release") if candidate.name in INSTRUCTIONS]
    check_machine(chosen)
    if "--no-build" not in sys.argv[1:]:
        build(chosen, smoke=False)
    over = False
    for candidate in chosen:
        cost = (counted(candidate, MANY) - counted(candidate, FEW)) // (MANY - FEW)
        bound = INSTRUCTIONS[candidate.name]
        over |= cost > bound
        verdict = "SHORT" if cost > bound else "ok"
        print(f"{candidate.name}: {cost:,} instructions a call, at most {bound:,}: {verdict}")
    sys.exit(1 if over else 0)


def counted(candidate, calls):
    """The instructions of the whole process, from its start to its end."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "callgrind.out"
        log = f"--log-file={Path(folder) / 'log'}"
        valgrind = ["valgrind", "--tool=callgrind", log, f"--callgrind-out-file={out}"]
        client = [str(BUILT / "client"), candidate.protocol, f"one:88:0:{calls}:0", "--"]
        ended = subprocess.run(client + valgrind + list(candidate.argv), capture_output=True, text=True, check=False)
        if ended.returncode != 0:
            sys.exit(f"failed: {candidate.name} under valgrind\n{ended.stderr.strip()}")
        return int(re.search(r"^(?:totals|summary): (\d+)", out.read_text(encoding="utf-8"), re.MULTILINE)[1])


if __name__ == "__main__":
    main()
