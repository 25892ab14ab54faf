#!/bin/sh
# Writes docs/matrix.md: every kit under every kind of host, in some minutes. It builds the kits as
# the tests do, for debugging. Where a number changes, either a kit or the cases have.
set -eu
cd "$(dirname "$0")/.."

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export EXTLINE_HOME="$scratch/home"

cargo build --locked -p extline-cli -p extline-kit --target-dir target
scripts/test-python.sh sdk-python/tests/test_example_weather.py
PATH=$PWD/target/python/bin:$PATH
scripts/build-node.sh
node sdk-node/scripts/link.mjs conformance/kit/sdk-node zod @types/node
node sdk-node/node_modules/typescript/bin/tsc -p conformance/kit/sdk-node
CARGO_TARGET_DIR=$PWD/target make -s -C sdk-c install PROFILE=dev PREFIX="$scratch/c" >&2
make -s -C conformance/kit/c EXTLINE_CFLAGS="-I$scratch/c/include" \
    EXTLINE_LIBS="-L$scratch/c/lib -Wl,-rpath,$scratch/c/lib -lextline"

{
    cat <<'TOP'
# Kits under hosts

What of a [kit](kit.md)'s surface there is under each kind of host: the tester plays the host, says its `hello_ack` and plays the cases of the kit level that this host could have. `extline conformance matrix conformance/kit/*/` makes the tables, `scripts/matrix.sh` builds the kits first and writes this page. What the zots lack is in [protocol.md](protocol.md), section 6.

TOP
    target/debug/extline conformance matrix conformance/kit/*/
} >"$scratch/matrix.md"
mv "$scratch/matrix.md" docs/matrix.md
