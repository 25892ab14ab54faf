#!/usr/bin/env python3
"""Everything that must hold before a change is merged: the steps, and which of them run side by side.

The build of everything, clippy and the documentation use all CPUs, and share what they have made, so they
run one after another. The tests wait for processes more than they compute, so there are two lanes: the tests
of Rust and C, and beside them those of Node, Python, MCP and the documentation, one after another.
"""

import os
import platform
import subprocess
import sys

import tools
from steps import ROOT, Run, Step, Tool

SHELL_SCRIPTS = ["scripts/*.sh", "sdk-c/packaging/*.sh", "examples/*/*.sh", "conformance/action/*.sh"]


def main():
    os.chdir(ROOT)
    begin_with_plain_python()
    keep_compiled_python()
    build_at_once()
    tools.put_on_path()
    run = Run(steps=[FORMAT, BUILD, CLIPPY, DOCUMENTATION, RUST, *OTHERS, *PACKAGES, *LAST])
    run.one_by_one([FORMAT, BUILD, CLIPPY, DOCUMENTATION])
    if BUILD.outcome == "ok":
        os.environ["EXTLINE_BUILT"] = "1"
    run.side_by_side([RUST, *PACKAGES], OTHERS)
    run.one_by_one(LAST)
    sys.exit(run.summary())


def begin_with_plain_python():
    """Programs in Python are started by the thousand here. The `python3` of a version manager is a script, and
    what a machine has installed for its Python may run at each start: either takes several times as long as the
    interpreter. So `python3` is one that has no packages, which a test cannot depend on then."""
    ask = ["python3", "-c", "import sys; print(sys._base_executable)"]
    python = subprocess.run(ask, check=True, capture_output=True, text=True).stdout.strip()
    plain = ROOT / "target/plain-python"
    # Made anew each time, in 0.2 s: the interpreter may be another.
    if subprocess.run([python, "-m", "venv", "--clear", "--without-pip", plain]).returncode:
        sys.exit(f"error: {plain}, the Python of the tests, cannot be made, as venv said; remove it, and run this again")
    os.environ["PATH"] = f"{plain / 'bin'}{os.pathsep}{os.environ['PATH']}"
    # Where the crate pyo3 has to look for it, it is built anew whenever the path is another, as under npm.
    os.environ.setdefault("PYO3_PYTHON", python)


def keep_compiled_python():
    """Where a machine keeps no compiled Python, each of these programs compiles all that it imports."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = str(ROOT / "target/pycache")


def build_at_once():
    """What would make a second build of the same faster makes the first one slower; so it is written where somebody
    builds anew between the tests. Cargo makes the folder for it in any case."""
    if not any(ROOT.glob("target/debug/incremental/*")):
        os.environ.setdefault("CARGO_INCREMENTAL", "0")


def cargo(words):
    return ["cargo", *words.split()]


def on_path(name, how):
    return Tool(["sh", "-c", f"command -v {name}"], name, how)


FORMAT = Step(
    "format check",
    cargo("fmt --all --check"),
    needs=[Tool(cargo("fmt --version"), "rustfmt", "rustup component add rustfmt")],
)
CLIPPY = Step(
    "clippy, warnings are errors",
    cargo("clippy --locked --workspace --all-targets -- -D warnings"),
    needs=[Tool(cargo("clippy --version"), "clippy", "rustup component add clippy")],
)
DOCUMENTATION = Step(
    "documentation builds without a warning",
    [
        *["env", "RUSTDOCFLAGS=-D warnings"],
        *cargo("doc --locked --workspace --no-deps"),
    ],
)
# One build for all that follows. A part that is built alone has other features of its dependencies, and
# cargo builds these once more for it; so tests and scripts that see EXTLINE_BUILT build nothing for
# debugging by themselves.
BUILD = Step("everything builds", cargo("build --locked --workspace --all-targets"))
RUST = Step("tests: units, integration", ["scripts/test_rust.py"])
# It needs what the tests of Node and Python have made.
MCP = Step("tests: the official clients of MCP", ["scripts/test-mcp.py"])
OTHERS = [
    Step("tests: the Node SDK", ["scripts/test-node.sh"]),
    Step("tests: the Python SDK", ["scripts/test-python.sh"]),
    MCP,
    # It puts the native half as it is released where the tests of the Node SDK had the other.
    Step("tests: the Node package, packed and installed elsewhere", ["scripts/test-node-package.sh"]),
    # Of Rust too: this lane would end first.
    Step("tests: examples in the documentation", cargo("test --locked --workspace --doc --no-fail-fast")),
]
# These run behind the tests of Rust.
PACKAGES = [
    Step(
        "tests: the C SDK, under the sanitizers and valgrind",
        ["scripts/test-c.sh"],
        needs=[Tool(["test", platform.system(), "=", "Linux"], "Linux", "it reads ELF files")],
    ),
    # With the Python that those tests have installed. It leaves modules beside the sources, which a client of
    # MCP would start with.
    Step(
        "tests: the Python package, installed from its source archive",
        ["scripts/test-python-package.sh"],
        after=[MCP],
    ),
]
# The examples and the benchmark run with what the steps of the SDKs made.
LAST = [
    Step(
        "tests: the examples under a real zot",
        cargo("test --locked --workspace --test real_zot -- --ignored"),
        needs=[
            Tool(["sh", "-c", 'test -n "$ZOT_BIN"'], "zot", "ZOT_BIN=/path/to/zot make test"),
            on_path("tmux", "apt-get install tmux, or brew install tmux: zot shows its panels in it"),
        ],
    ),
    # One tiny round with the project's own programs: that it works, nothing about time.
    Step(
        "the benchmark works",
        "python3 bench/run.py --smoke --out target/bench-smoke.json".split(),
        needs=[Tool(["test", platform.system(), "=", "Linux"], "Linux", "it pins CPUs and reads /proc")],
    ),
    Step(
        "shell scripts parse",
        ["sh", "-c", 'for script; do sh -n "$script" || exit 1; done; bash -n .ci/run', "sh"],
        files=SHELL_SCRIPTS,
    ),
    Step("tests: the scripts of CI, releases and the site", ["scripts/test_scripts.py"]),
    # What actionlint does not know is checked without it.
    Step("the workflow files", ["scripts/lint_workflows.py"]),
    # Advisories change by the day, so they are no part of this: `cargo deny check` has them.
    Step(
        "licences and sources of dependencies",
        cargo("deny --locked check --hide-inclusion-graph bans licenses sources"),
        needs=[on_path("cargo-deny", "cargo install --locked cargo-deny")],
    ),
    Step(
        "shell scripts, linted",
        ["shellcheck", ".ci/run"],
        files=SHELL_SCRIPTS,
        needs=[on_path("shellcheck", "apt-get install shellcheck, or brew install shellcheck")],
    ),
]

main()
