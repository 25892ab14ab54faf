#!/usr/bin/env python3
"""Builds the candidates, runs them in interleaved rounds, prints the tables, writes JSON.

run.py [--quick | --smoke] [--only NAME,...] [--rounds N] [--out FILE]

--quick  about two minutes, after the builds; --smoke: that it works, with debug builds, no peers
--only   these candidates and what they are compared with
--out    where the JSON goes (default: bench/results/ and the time)
"""

import argparse
import json
import os
import platform
import re
import resource
import shutil
import subprocess
import sys
import time
from dataclasses import asdict, replace

import environment
import node_environment
import table
from candidates import BENCH, BUILT, C_PROGRAMS, FULL, QUICK, ROOT, SESSIONS, SMOKE, candidates

# More than this many CPUs used by others: the session is repeated, then flagged.
FOREIGN = 0.25
# One run of a client: longer, and something hangs.
TIMEOUT = 600


def main():
    options = parse()
    plan = SMOKE if options.smoke else QUICK if options.quick else FULL
    plan = replace(plan, rounds=options.rounds or plan.rounds)
    profile = "debug" if options.smoke else "release"
    chosen = choose(candidates(profile), options)
    check_machine(chosen)
    build(chosen, options.smoke)
    document = {
        "started": time.strftime("%F %T %Z"),
        "command": " ".join(sys.argv),
        "machine": machine(),
        "plan": asdict(plan),
        "candidates": [asdict(candidate) for candidate in chosen],
        "runs": [],
    }
    for number in range(plan.rounds):
        run_round(number, chosen, plan, profile, document["runs"])
    by_name = {candidate.name: candidate for candidate in chosen}
    if {"host", "rust-typed"} <= by_name.keys():
        document["many"] = run_many(by_name["rust-typed"].argv, plan, profile)
    out = options.out or BENCH / "results" / time.strftime("%Y%m%d-%H%M%S.json")
    write(document, out)
    tables = table.render(document)
    print(summary(document) if options.smoke else tables)
    print(f"\nThe figures: {out}")


def summary(document):
    kits = {"Python": environment, "Node": node_environment}
    left_out = [
        f" Without {name}, whose module is not built (scripts/test-{name.lower()}.sh)."
        for name, kit in kits.items()
        if not kit.is_there_for_tests()
    ]
    return f"The benchmark works: {len(document['runs'])} runs.{''.join(left_out)}"


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="about two minutes, after the builds")
    parser.add_argument("--smoke", action="store_true", help="that it works: debug builds, no peers")
    parser.add_argument("--only", help="names of candidates, with commas between them")
    parser.add_argument("--rounds", type=int, help="how often each session runs")
    parser.add_argument("--out", help="where the JSON goes")
    return parser.parse_args()


def check_machine(chosen):
    """The first line says what is missing."""
    missing = []
    if sys.platform != "linux":
        missing.append("Linux: the benchmark pins CPUs and reads /proc")
    if not shutil.which("cc"):
        missing.append("a C compiler (cc): apt-get install build-essential (Debian, Ubuntu)")
    if not shutil.which("cargo"):
        missing.append("Rust (cargo): get it from https://rustup.rs")
    if any(candidate.kit == "node" for candidate in chosen) and not shutil.which("npm"):
        missing.append("Node 20.17 or newer, with npm: get it from https://nodejs.org, or leave its candidates out (--only)")
    if missing:
        sys.exit("\n".join(f"missing: {what}" for what in missing))


def choose(everything, options):
    if options.smoke:
        # What there is: the tests of an SDK build its module, where they run.
        kits = {"cargo", "c"}
        kits |= {"python"} if environment.is_there_for_tests() else set()
        kits |= {"node"} if node_environment.is_there_for_tests() else set()
        return [candidate for candidate in everything if candidate.own and candidate.kit in kits]
    if not options.only:
        return everything
    names = set(options.only.split(","))
    unknown = names - {candidate.name for candidate in everything}
    if unknown:
        known = ", ".join(candidate.name for candidate in everything)
        sys.exit(f"no such candidate: {', '.join(sorted(unknown))}; there are {known}")
    baselines = {candidate.baseline for candidate in everything if candidate.name in names}
    return [candidate for candidate in everything if candidate.name in names | baselines]


def build(chosen, smoke):
    BUILT.mkdir(exist_ok=True)
    flags = ["-O2", "-Wall", "-Wextra", "-Werror"]
    client = sorted(str(path) for path in (BENCH / "client").glob("*.c"))
    command(["cc", *flags, "-o", str(BUILT / "client"), *client])
    command(["cc", *flags, "-o", str(BUILT / "echo"), str(BENCH / "echo.c")])
    cargo = ["cargo", "build", "--locked", "--quiet"]
    if smoke:
        # What `make test` has built already.
        command([*cargo, "--workspace", "--all-targets"], ROOT)
        build_for_c(chosen, profile="debug")
        if any(candidate.kit == "node" for candidate in chosen):
            node_environment.link()
        return
    build_for_c(chosen, profile="release")
    # One package at a time: built together they would share the features of their dependencies,
    # and an extension would carry what only the host needs.
    names = {candidate.name for candidate in chosen}
    packages = {
        "bench-extension": {"rust-typed", "rust-raw", "rust-mcp", "rust-mcp-modern"},
        "bench-host": {"host"},
        "extline-cli": {"hosted-mcp"},
    }
    for package, needed_by in packages.items():
        if names & needed_by:
            command([*cargo, "--release", "--package", package], ROOT)
    if any(candidate.kit == "cargo" and not candidate.own for candidate in chosen):
        command([*cargo, "--release"], BENCH / "peers")
    kits = {candidate.kit for candidate in chosen}
    if "python" in kits:
        environment.build(command)
    if "mcp" in kits:
        environment.make("mcp", command)
    if "node" in kits:
        node_environment.build(command)


def build_for_c(chosen, profile):
    """As an author builds it: with the shared library, which it finds where it was built."""
    if not any(candidate.kit == "c" for candidate in chosen):
        return
    library = ROOT / "target" / profile
    if profile == "release":
        command(["cargo", "build", "--locked", "--quiet", "--release", "--package", "extline-c", "--features", "mcp"], ROOT)
    folder = C_PROGRAMS / profile
    folder.mkdir(parents=True, exist_ok=True)
    # Under the name that the library has for programs.
    dynamic = subprocess.run(["readelf", "-d", library / "libextline.so"], capture_output=True, text=True, check=True)
    name = re.search(r"SONAME.*\[(.*)\]", dynamic.stdout)[1]
    (folder / name).unlink(missing_ok=True)
    (folder / name).symlink_to(library / "libextline.so")
    command([
        "cc", "-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", f"-I{ROOT / 'sdk-c' / 'include'}",
        "-o", str(folder / "echo"), str(BENCH / "c" / "echo.c"),
        str(folder / name), f"-Wl,-rpath,{folder}",
    ])


def command(arguments, folder=BENCH):
    if subprocess.run(arguments, cwd=folder, check=False).returncode != 0:
        sys.exit(f"failed in {folder}: {' '.join(arguments)}")


def run_round(number, chosen, plan, profile, runs):
    for session in SESSIONS:
        # Another candidate is the first each time, so that none always follows the same one.
        first = number % len(chosen)
        for candidate in chosen[first:] + chosen[:first]:
            if not candidate.takes_part_in(session):
                continue
            scaled = session.scaled(plan.seconds, plan.calls * candidate.share())
            argv = client(candidate, profile, scaled.phases) + ["--", *candidate.argv]
            times = max(1, round(plan.starts * candidate.share())) if session.name == "start" else 1
            for _ in range(times):
                runs.append({
                    "round": number,
                    "candidate": candidate.name,
                    "session": session.name,
                    "placement": session.placement,
                    **measured(argv, session.placement == "one", plan.attempts),
                })
        print(f"round {number + 1} of {plan.rounds}: {session.name}, {session.placement}", file=sys.stderr)


def client(candidate, profile, phases):
    if candidate.protocol == "host":
        return [str(ROOT / "target" / profile / "bench-host"), "calls", *phases]
    return [str(BUILT / "client"), candidate.protocol, *phases]


def run_many(program, plan, profile):
    """Many extensions under one host: their start, beside that by a client in C which does nothing
    else, one after the other; and calls in flight over all of them."""
    host = str(ROOT / "target" / profile / "bench-host")
    starters = {"host": host, "client": str(BUILT / "client")}
    starts = {name: [] for name in starters}
    for _ in range(plan.starts):
        for name, starter in starters.items():
            argv = [starter, "starts", str(plan.extensions), "--", *program]
            starts[name].append(measured(argv, False, plan.attempts))
    print(f"{plan.extensions} extensions started", file=sys.stderr)
    load = measured([host, "load", *map(str, plan.load), "--", *program], False, 1)
    print(f"{plan.load[2]} calls over {plan.load[0]} extensions", file=sys.stderr)
    return {"starts": starts, "load": load}


def measured(argv, pinned, attempts):
    """One run; repeated while others use the machine, and then the quietest."""
    best = None
    for attempt in range(1, attempts + 1):
        began, busy, own = time.monotonic(), busy_seconds(), own_seconds()
        figures = run(argv, pinned)
        seconds = time.monotonic() - began
        others = (busy_seconds() - busy - (own_seconds() - own)) / seconds
        # The system counts in steps of 10 ms, so of a short run nothing can be said.
        foreign = max(0.0, round(others, 2)) if seconds > 0.3 else None
        if best is None or (foreign or 0) < (best["foreign_cpus"] or 0):
            best = {"figures": figures, "foreign_cpus": foreign}
        if (foreign or 0) <= FOREIGN:
            break
    return {**best, "attempts": attempt}


def run(argv, pinned):
    pin = (lambda: os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})) if pinned else None
    try:
        ended = subprocess.run(argv, capture_output=True, text=True, preexec_fn=pin, timeout=TIMEOUT, check=False)
    except FileNotFoundError as error:
        sys.exit(f"cannot run {argv[0]}: {error}")
    if ended.returncode != 0:
        sys.exit(f"failed: {' '.join(argv)}\n{ended.stderr.strip()}")
    return json.loads(ended.stdout)


def busy_seconds():
    """CPU time of the whole machine, idle and waiting left out."""
    with open("/proc/stat", encoding="ascii") as stat:
        ticks = [int(field) for field in stat.readline().split()[1:9]]
    return (sum(ticks) - ticks[3] - ticks[4]) / os.sysconf("SC_CLK_TCK")


def own_seconds():
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        models = [line.split(":", 1)[1].strip() for line in info if line.startswith("model name")]

    def version(*argv):
        return subprocess.run(argv, capture_output=True, text=True, cwd=ROOT, check=False).stdout.strip()

    return {
        "cpu": models[0] if models else platform.machine(),
        "cpus": os.cpu_count(),
        "kernel": platform.release(),
        "rustc": version("rustc", "--version"),
        "cc": version("cc", "--version").splitlines()[0],
        "python": platform.python_version(),
        "node": version("node", "--version") if shutil.which("node") else "not there",
        "commit": version("git", "describe", "--always", "--dirty"),
    }


def write(document, path):
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(document, file, indent=1)


if __name__ == "__main__":
    main()
