#!/bin/sh
# Everything that must hold before a change is merged. Every step runs, also after a failure; the
# last line on stdout counts the steps, and the exit status is 1 when one of them failed.
set -u
cd "$(dirname "$0")/.." || exit 1
exec </dev/null # nothing here asks a question

total=16
number=0
passed=0
failed=0
skipped=0
failures=
skips=

main() {
    began=$(date +%s)
    skip_python_shims
    keep_compiled_python

    component fmt rustfmt 'format check' cargo fmt --all --check
    component clippy clippy 'clippy, warnings are errors' \
        cargo clippy --locked --workspace --all-targets -- -D warnings
    build_everything
    step 'tests: units, integration' cargo test --locked --workspace --all-targets --no-fail-fast
    step 'tests: examples in the documentation' cargo test --locked --workspace --doc --no-fail-fast
    step 'documentation builds without a warning' \
        env RUSTDOCFLAGS='-D warnings' cargo doc --locked --workspace --no-deps
    step 'shell scripts parse' parse_scripts
    step 'tests: the Python SDK' scripts/test-python.sh
    step 'tests: the C SDK, under the sanitizers and valgrind' scripts/test-c.sh
    step 'tests: the Python package, installed from its source archive' \
        scripts/test-python-package.sh
    step 'tests: the Node SDK' scripts/test-node.sh
    step 'tests: the Node package, packed and installed elsewhere' scripts/test-node-package.sh
    real_zot 'tests: the examples under a real zot'
    try_benchmark
    # Advisories change by the day, so they are no part of this: `cargo deny check` has them.
    optional cargo-deny 'cargo install --locked cargo-deny' 'licences and sources of dependencies' \
        cargo deny --locked check --hide-inclusion-graph bans licenses sources
    optional shellcheck 'apt-get install shellcheck, or brew install shellcheck' \
        'shell scripts, linted' lint_scripts

    printf '\n== all steps done, %s s\n' "$(($(date +%s) - began))"
    printf '%s' "$failures$skips"
    printf '%s passed, %s failed, %s skipped\n' "$passed" "$failed" "$skipped"
    [ "$failed" -eq 0 ]
}

# step NAME COMMAND...: runs one step between two lines that say which and how it went.
step() {
    name=$1
    shift
    number=$((number + 1))
    printf '\n== %s/%s %s\n' "$number" "$total" "$name"
    started=$(date +%s)
    status=0
    "$@" || status=$?
    if [ "$status" -eq 0 ]; then
        passed=$((passed + 1))
        outcome=ok
    else
        failed=$((failed + 1))
        outcome="FAILED with exit status $status"
        failures="${failures}FAILED step $number, $name
"
    fi
    printf '== %s/%s %s, %s s\n' "$number" "$total" "$outcome" "$(($(date +%s) - started))"
}

# component SUBCOMMAND COMPONENT NAME COMMAND...: a step that needs a part of the Rust toolchain.
component() {
    if cargo "$1" --version >/dev/null 2>&1; then
        shift 2
        step "$@"
    else
        skip "$3" "$2" "rustup component add $2"
    fi
}

# optional TOOL HOW NAME COMMAND...: a step for a tool that may be absent.
optional() {
    if command -v "$1" >/dev/null 2>&1; then
        shift 2
        step "$@"
    else
        skip "$3" "$1" "$2"
    fi
}

# real_zot NAME: the step that needs a zot, which nothing here brings. The examples in Python and
# TypeScript run with what the steps of these SDKs made.
real_zot() {
    if [ -z "${ZOT_BIN:-}" ]; then
        skip "$1" zot 'ZOT_BIN=/path/to/zot make test'
    elif ! command -v tmux >/dev/null 2>&1; then
        skip "$1" tmux 'apt-get install tmux, or brew install tmux: zot shows its panels in it'
    else
        step "$1" cargo test --locked --workspace --test real_zot -- --ignored
    fi
}

# skip NAME TOOL HOW: counts a step that cannot run here, and says how to get what it needs.
skip() {
    number=$((number + 1))
    skipped=$((skipped + 1))
    printf '\n== %s/%s %s\nSKIPPED %s: %s\n' "$number" "$total" "$1" "$2" "$3"
    skips="${skips}SKIPPED $2: $3
"
}

# One build for all that follows. A part that is built alone has other features of its dependencies, and
# cargo builds these once more for it; so tests and scripts that see EXTLINE_BUILT build nothing for
# debugging by themselves.
build_everything() {
    step 'everything builds' cargo build --locked --workspace --all-targets
    [ "$status" -ne 0 ] || export EXTLINE_BUILT=1
}

# Programs are started by the thousand here, and the `python3` of a version manager is a script that
# takes several times as long as the interpreter, which stands in a folder of its own.
skip_python_shims() {
    python=$(python3 -c 'import os, sys; print(os.path.dirname(sys.executable))')
    PATH=$python:$PATH
}

# Where a machine keeps no compiled Python, each of these programs compiles all that it imports.
keep_compiled_python() {
    unset PYTHONDONTWRITEBYTECODE
    export PYTHONPYCACHEPREFIX="$PWD/target/pycache"
}

# One tiny round with the project's own programs: that it works, nothing about time.
try_benchmark() {
    if [ "$(uname)" = Linux ]; then
        step 'the benchmark works' python3 bench/run.py --smoke --out target/bench-smoke.json
    else
        skip 'the benchmark works' Linux 'it pins CPUs and reads /proc'
    fi
}

shell_scripts='scripts/*.sh sdk-c/packaging/*.sh examples/*/*.sh conformance/action/*.sh'

parse_scripts() {
    for script in $shell_scripts; do
        sh -n "$script" || return 1
    done
    bash -n .ci/run
}

lint_scripts() {
    # shellcheck disable=SC2086 # a list of patterns, to be split and expanded
    shellcheck .ci/run $shell_scripts
}

main
