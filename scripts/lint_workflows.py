#!/usr/bin/env python3
"""The workflow files: actionlint, where it is, and the rules of docs/contributing/ci.md that it does not know.

Actions are named by the whole hash of a commit, with the version behind it. A job has an end in time. A
step runs one command that can be typed anywhere: a target of the Makefile or a program of this repository.
Each job has its line in docs/contributing/ci.md.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import tools

ROOT = Path(__file__).resolve().parent.parent
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
ACTIONS = [*sorted((ROOT / ".github/actions").glob("*/action.yml")), ROOT / "conformance/action/action.yml"]
PAGE = ROOT / "docs/contributing/ci.md"
# What prepares a machine and has no target: rustup installs what rust-toolchain.toml asks for.
PREPARES = ("rustup ",)


def main():
    os.chdir(ROOT)
    faults = [fault for file in [*WORKFLOWS, *ACTIONS] for fault in pins(file)]
    for file in WORKFLOWS:
        faults += [*jobs(file), *commands(file)]
    for fault in faults:
        print(fault)
    if not linted() or faults:
        sys.exit("the workflow files are not as they should be")
    print(f"{len(WORKFLOWS)} workflows: ok")


def pins(file):
    for number, line in numbered(file):
        used = re.search(r"\buses: *(\S+)(.*)", line)
        if used and not used[1].startswith("./"):
            if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", used[1]) or not re.fullmatch(r" # v[\d.]+", used[2]):
                yield f"{at(file, number)}: {used[1]} is no commit with its version behind it (@HASH # v1.2.3)"


def jobs(file):
    page = PAGE.read_text()
    text = file.read_text().split("\njobs:\n", 1)[1]
    for block in re.split(r"^(?=  [\w-]+:$)", text, flags=re.MULTILINE)[1:]:
        name = block.split(":", 1)[0].strip()
        if "\n    timeout-minutes: " not in block:
            yield f"{at(file)}: the job {name} has no timeout-minutes"
        if f"| `{name}` |" not in section(page, file.name):
            yield f"{at(PAGE)}: nothing is said of the job {name} of {file.name}"


def section(page, name):
    """What the page says of one workflow."""
    return next((part for part in page.split("\n## ") if name in part.split("\n", 1)[0]), "")


def commands(file):
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)
    for number, line in numbered(file):
        run = re.search(r"\brun: *(.*)", line)
        if not run or run[1].startswith(PREPARES):
            continue
        program, _, rest = run[1].partition(" ")
        is_target = program == "make" and all(word in targets for word in rest.split())
        if not is_target and not (ROOT / program).is_file():
            yield f"{at(file, number)}: `{run[1]}` is neither a target of the Makefile nor a program of ours"


def linted():
    actionlint = tools.where("actionlint")
    if not actionlint:
        print(f"SKIPPED actionlint: {tools.how('actionlint')}")
        return True
    # By name, so that it asks for no repository around them.
    return subprocess.run([actionlint, *map(str, WORKFLOWS)]).returncode == 0


def numbered(file):
    return enumerate(file.read_text().splitlines(), 1)


def at(file, number=None):
    return f"{file.relative_to(ROOT)}" + (f":{number}" if number else "")


if __name__ == "__main__":
    main()
