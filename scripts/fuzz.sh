#!/bin/sh
# Runs each fuzz target of protocol/fuzz for FUZZ_SECONDS with cargo-fuzz, which needs a nightly
# toolchain. `make test` runs the same targets on the corpus and on seeded mutations without either.
set -eu
cd "$(dirname "$0")/../protocol"

if ! cargo fuzz --version >/dev/null 2>&1; then
    printf 'SKIPPED cargo-fuzz: cargo install --locked cargo-fuzz\n'
    exit 0
fi
if ! rustup run nightly cargo --version >/dev/null 2>&1; then
    printf 'SKIPPED nightly toolchain: rustup toolchain install nightly --profile minimal\n'
    exit 0
fi

for target in decoder frame extension_session host_session args schema mcp model; do
    seeds=tests/fuzz/corpus/$target
    case $target in
    schema | mcp) seeds=$target/tests/fuzz/corpus ;;
    model) seeds=../model/tests/fuzz/corpus ;;
    esac
    printf '\n== fuzzing %s for %s s\n' "$target" "${FUZZ_SECONDS:-60}"
    # What is found goes to the first folder, which git ignores; the second is only read.
    mkdir -p "fuzz/corpus/$target"
    cargo +nightly fuzz run "$target" "fuzz/corpus/$target" "$seeds" -- \
        -max_total_time="${FUZZ_SECONDS:-60}"
done
