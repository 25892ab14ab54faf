#!/usr/bin/env python3
"""What one decision of a hook costs, from the spawn to the exit: `extline hook` with the guard of
examples/guard-rust running, beside a C program that asks the same of the same guard, and beside hooks in
Python and Node that decide by themselves. All in turn, as ratios.

    python3 bench/hooks.py [ROUNDS]
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

BENCH = Path(__file__).resolve().parent
ROOT = BENCH.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
OUT = TARGET / "bench-hook"
EXTLINE = TARGET / "command/extline"
GUARD = ROOT / "examples/guard-rust"
EVENT = {
    "session_id": "bench",
    "cwd": "/",
    "hook_event_name": "PreToolUse",
    "tool_name": "Bash",
    "tool_use_id": "1",
    "tool_input": {"command": "rm -rf /"},
}


def main():
    rounds = sys.argv[1] if len(sys.argv) > 1 else "300"
    build()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        os.environ |= {"XDG_RUNTIME_DIR": folder, "EXTLINE_HOME": folder}
        event = Path(folder, "event.json")
        event.write_text(json.dumps(EVENT))
        hook = [str(EXTLINE), "hook", "--agent", "claude", str(GUARD)]
        try:
            # The first one starts the guard, and is not measured.
            said = subprocess.run(hook, stdin=event.open(), capture_output=True, check=True).stdout
            assert b'"deny"' in said, said
            (socket,) = Path(folder, "extline").glob("*.sock")
            commands = {
                "a C program that asks the same": [str(OUT / "ask"), str(socket)],
                "extline hook": hook,
                "a hook in Python": ["python3", str(BENCH / "hook/hook.py")],
                "a hook in Node": ["node", str(BENCH / "hook/hook.mjs")],
            }
            measure(rounds, event, commands)
        finally:
            subprocess.run([EXTLINE, "hook", "--stop"], stdout=subprocess.DEVNULL, check=True)


def build():
    OUT.mkdir(parents=True, exist_ok=True)
    cargo = ["cargo", "build", "--locked", "--quiet"]
    subprocess.run([*cargo, "--profile", "command", "-p", "extline-cli"], cwd=ROOT, check=True)
    subprocess.run([*cargo, "--release", "-p", "guard-rust"], cwd=ROOT, check=True)
    for name in ("ask", "spawn"):
        compiler = os.environ.get("CC", "cc")
        source = BENCH / f"hook/{name}.c"
        subprocess.run([compiler, "-O2", "-o", OUT / name, source], check=True)


def measure(rounds, event, commands):
    words = [str(OUT / "spawn"), rounds, str(event)]
    for command in commands.values():
        words += [*command, "---"]
    lines = subprocess.run(words[:-1], capture_output=True, check=True, text=True).stdout.splitlines()
    columns = list(zip(*(map(int, line.split()) for line in lines), strict=True))
    bare = columns[0]
    print(f"{'':32} {'p50 ms':>8} {'p99 ms':>8} {'ratio':>7}   ({rounds} rounds in turn)")
    for name, column in zip(commands, columns, strict=True):
        half, high = statistics.median(column), sorted(column)[len(column) * 99 // 100]
        ratio = statistics.median(own / other for own, other in zip(column, bare, strict=True))
        print(f"{name:32} {half / 1e6:8.2f} {high / 1e6:8.2f} {ratio:7.2f}")


if __name__ == "__main__":
    main()
