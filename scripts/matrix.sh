#!/bin/sh
# Writes docs/tester/matrix.md: every kit under every kind of host. It builds the kits first, and says
# what it is doing. What fails is told, and then the page stays as it
# was. Where a number changes, either a kit or the cases have.
set -eu
cd "$(dirname "$0")/.."

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
export EXTLINE_HOME="$scratch/home"
target=${CARGO_TARGET_DIR:-$PWD/target}
export CARGO_TARGET_DIR="$target"

say() { printf 'matrix: %s\n' "$1" >&2; }

scripts/build-kits.sh
PATH=$target/python/bin:$PATH

say 'plays the kits'
{
    cat <<'TOP'
# Kits under hosts

This page shows how much of a [kit](kits.md)'s surface works under each kind of host. The tester plays the host: it sends that host's `hello_ack`, and plays the cases of the kit level that can occur under that host. `extline conformance matrix conformance/kit/*/` makes the tables; `scripts/matrix.sh` builds the kits first and writes this page. [../protocol/specification.md](../protocol/specification.md), section 6, says what each zot lacks. The kit `python` is written by hand, without an SDK, so rules that bind only SDKs are not counted for it.

TOP
    "$target/debug/extline" conformance matrix conformance/kit/*/
} >"$scratch/matrix.md"
mv "$scratch/matrix.md" docs/tester/matrix.md
say 'docs/tester/matrix.md is written'
