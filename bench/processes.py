"""Whole processes timed in turn, from the spawn to the exit, and shown beside the first of them."""

import os
import statistics
import subprocess
from pathlib import Path

BENCH = Path(__file__).resolve().parent
ROOT = BENCH.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
OUT = TARGET / "bench-processes"
# As it is published.
EXTLINE = TARGET / "command/extline"


def build_extline():
    cargo("--profile", "command", "-p", "extline-cli")


def cargo(*words):
    subprocess.run(["cargo", "build", "--locked", "--quiet", *words], cwd=ROOT, check=True)


def compiled(name):
    """One of the programs in C of bench/hook."""
    OUT.mkdir(parents=True, exist_ok=True)
    compiler = os.environ.get("CC", "cc")
    subprocess.run([compiler, "-O2", "-o", OUT / name, BENCH / f"hook/{name}.c"], check=True)
    return str(OUT / name)


def measure(rounds, stdin, commands):
    """Prints how long each of `commands`, words by their title, takes with the file `stdin`. Returns the
    nanoseconds of each round by title."""
    words = [compiled("spawn"), str(rounds), str(stdin)]
    for command in commands.values():
        words += [*map(str, command), "---"]
    lines = subprocess.run(words[:-1], capture_output=True, check=True, text=True).stdout.splitlines()
    columns = dict(zip(commands, zip(*(map(int, line.split()) for line in lines), strict=True), strict=True))
    first = next(iter(columns.values()))
    print(f"{'':40} {'p50 ms':>8} {'p99 ms':>8} {'ratio':>7}   ({rounds} rounds in turn)")
    for name, column in columns.items():
        half, high = statistics.median(column), sorted(column)[len(column) * 99 // 100]
        ratio = statistics.median(own / other for own, other in zip(column, first, strict=True))
        print(f"{name:40} {half / 1e6:8.2f} {high / 1e6:8.2f} {ratio:7.2f}")
    return columns


def more_ms(columns, name, other):
    """What one of them takes more than another in the same round, in milliseconds."""
    return statistics.median(a - b for a, b in zip(columns[name], columns[other], strict=True)) / 1e6
