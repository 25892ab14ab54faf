#!/usr/bin/env python3
"""What installed extensions and the sandbox cost, with whole processes in turn: 100 that are installed and listed
without a start, beside one and beside all started; the first use of one, beside its start with the host; and
a call of an extension in the sandbox, beside the same without it.

    python3 bench/installed.py [ROUNDS]
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from processes import EXTLINE, TARGET, build_extline, cargo, measure, more_ms

INSTALLED = 100
PROGRAM = TARGET / "release/bench-extension"
# Everything the sandbox holds an extension to.
PERMISSIONS = {"fs": {"read": [], "write": []}, "net": False, "exec": False}


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    build_extline()
    cargo("--release", "-p", "bench-extension")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        folder = Path(folder)
        os.chdir(folder)
        listed(folder, rounds)
        first_use(folder, rounds)
        sandbox(folder, rounds)


def listed(folder, rounds):
    one, many = home(folder, 1), home(folder, INSTALLED)
    quiet = folder / "nothing.txt"
    quiet.write_text("")
    single, listed, started = "1 installed, listed", f"{INSTALLED} installed, listed", f"{INSTALLED} installed, all started"
    columns = measure(rounds, quiet, {single: run(one), listed: run(many)})
    print(f"{INSTALLED - 1} more take {more_ms(columns, listed, single):.2f} ms\n")
    measure(max(3, rounds // 10), quiet, {listed: run(many), started: run(many, "--start-all")})
    print()


def first_use(folder, rounds):
    one = folder / "home-1"
    call = folder / "call.txt"
    call.write_text('!echo-0 {"text": "x"}\n')
    with_host, when_used = "one started with the host, called", "one started when it is called"
    columns = measure(rounds, call, {with_host: run(one, "--start-all"), when_used: run(one)})
    print(f"the first use takes {more_ms(columns, when_used, with_host):+.2f} ms over a start with the host\n")


def sandbox(folder, rounds):
    free = extension(folder / "free", 0, {})
    held = extension(folder / "held", 0, {"permissions": PERMISSIONS})
    quiet = folder / "nothing.txt"

    def call(where):
        return [EXTLINE, "call", where, "echo-0", '{"text": "x"}']

    columns = measure(rounds, quiet, {"a call without the sandbox": call(free), "a call in it": call(held)})
    more = more_ms(columns, "a call in it", "a call without the sandbox")
    print(f"the sandbox takes {more:.2f} ms a start")


def home(folder, count):
    """A folder of the person's with so many extensions installed and started once."""
    where = folder / f"home-{count}"
    for number in range(count):
        source = extension(folder / f"source-{count}-{number}", number, {})
        command = [EXTLINE, "ext", "install", "--yes", source]
        subprocess.run(command, env=of(where), stdout=subprocess.DEVNULL, check=True)
        shutil.rmtree(source)
    subprocess.run(run(where), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
    return where


def extension(where, number, more):
    where.mkdir()
    shutil.copy2(PROGRAM, where / "echo")
    manifest = {"name": f"echo-{number}", "version": "1.0.0", "exec": "./echo", "args": ["typed", f"echo-{number}"]}
    (where / "extension.json").write_text(json.dumps({**manifest, **more}))
    return where


def run(where, *options):
    return ["env", f"EXTLINE_HOME={where}", EXTLINE, "run", *options]


def of(where):
    return {**os.environ, "EXTLINE_HOME": str(where)}


if __name__ == "__main__":
    main()
