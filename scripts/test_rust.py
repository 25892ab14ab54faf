#!/usr/bin/env python3
"""Runs what `cargo test --workspace --all-targets --no-fail-fast` runs, but several programs at a time:
most of them wait for processes more than they compute. What each says is shown whole when it ends.
"""

import json
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Most of the time one of them waits.
AT_ONCE = min(4, (os.cpu_count() or 2) + 1)
# They take longest, so they begin first.
LONG = ["selftest", "written_by_hand", "rounds", "conformance_host", "rust_examples", "faults", "first_contact", "calls", "c", "ext"]
shown = threading.Lock()


def main():
    programs = sorted(build(), key=lambda program: rank(program["target"]["name"]))
    names = packages()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        ended = pool.map(lambda program: run(program, *names[program["package_id"]]), programs)
        failed = [failure for failure in ended if failure]
    print(f"\n{len(programs)} programs of tests, {len(failed)} failed")
    for _, failures in failed:
        print(failures, flush=True)
    for name, _ in failed:
        print(f"FAILED {name}")
    sys.exit(1 if failed or not programs else 0)


def rank(name):
    return LONG.index(name) if name in LONG else len(LONG)


def build():
    """The programs of tests, as cargo tells of them."""
    command = "cargo test --locked --workspace --all-targets --no-run"
    messages = ["--message-format", "json-render-diagnostics"]
    built = subprocess.run([*command.split(), *messages], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if built.returncode:
        sys.exit(built.returncode)
    messages = [json.loads(line) for line in built.stdout.splitlines()]
    return [message for message in messages if message.get("executable") and message["profile"]["test"]]


def packages():
    """The name and the version of each package, by its id."""
    command = ["cargo", "metadata", "--locked", "--no-deps", "--format-version", "1"]
    told = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True)
    found = json.loads(told.stdout)["packages"]
    return {package["id"]: (package["name"], package["version"]) for package in found}


def run(program, package, version):
    """Runs one as cargo does, in the folder of its package; returns its name and what failed in it, if something did."""
    folder = Path(program["manifest_path"]).parent
    source = Path(program["target"]["src_path"]).relative_to(folder)
    executable = Path(program["executable"])
    name = f"{package} {source} ({os.path.relpath(executable, ROOT)})"
    cargo_sets = {"CARGO_MANIFEST_DIR": str(folder), "CARGO_PKG_NAME": package, "CARGO_PKG_VERSION": version}
    began = time.monotonic()
    ran = subprocess.Popen(
        [executable],
        cwd=folder,
        env={"CARGO": "cargo", **os.environ, **cargo_sets},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    said = ran.stdout.read()
    # With what those used that it has waited for.
    _, status, used = os.wait4(ran.pid, 0)
    ran.returncode = os.waitstatus_to_exitcode(status)
    took = f"{time.monotonic() - began:.1f} s, {used.ru_utime + used.ru_stime:.1f} s of a processor"
    with shown:
        print(f"\n     Running {name}", flush=True)
        sys.stdout.buffer.write(said)
        print(f"     {took}", flush=True)
    if ran.returncode:
        return f"{name}, exit status {ran.returncode}", said.decode(errors="replace").partition("\nfailures:\n")[2]
    return None


main()
