#!/bin/sh
# Writes docs/matrix.md: every kit under every kind of host. It builds the kits first, as the tests
# do, for debugging, and says what it is doing. What fails is told, and then the page stays as it
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

# build WHAT COMMAND...: what it prints is shown when it fails.
build() {
    say "builds $1"
    shift
    "$@" >"$scratch/build.log" 2>&1 || {
        cat "$scratch/build.log" >&2
        exit 1
    }
}

build_typescript() {
    scripts/build-node.sh
    node sdk-node/scripts/link.mjs conformance/kit/sdk-node zod @types/node
    node sdk-node/node_modules/typescript/bin/tsc -p conformance/kit/sdk-node
}

# As scripts/test-c.sh does: what is in the kit's folder stays right for it too.
build_c() {
    cargo build --locked -p extline-c
    mkdir -p "$target/c/lib"
    cp "$target/debug/libextline.so" "$target/c/lib/"
    name=$(readelf -d "$target/debug/libextline.so" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
    ln -sf libextline.so "$target/c/lib/$name"
    make -s -C conformance/kit/c EXTLINE_CFLAGS="-I$PWD/sdk-c/include" \
        EXTLINE_LIBS="-L$target/c/lib -Wl,-rpath,$target/c/lib -lextline"
}

build 'the tester and the kit in Rust' cargo build --locked -p extline-cli -p extline-kit
build 'the Python SDK' scripts/test-python.sh --collect-only sdk-python/tests/test_example_weather.py
build 'the kit in TypeScript' build_typescript
build 'the kit in C' build_c
PATH=$target/python/bin:$PATH

say 'plays the kits'
{
    cat <<'TOP'
# Kits under hosts

What of a [kit](kit.md)'s surface there is under each kind of host: the tester plays the host, says its `hello_ack` and plays the cases of the kit level that this host could have. `extline conformance matrix conformance/kit/*/` makes the tables; `scripts/matrix.sh` builds the kits first and writes this page. What the zots lack is in [protocol.md](protocol.md), section 6. The kit `python` is written by hand, without an SDK: what binds SDKs alone is not counted there.

TOP
    "$target/debug/extline" conformance matrix conformance/kit/*/
} >"$scratch/matrix.md"
mv "$scratch/matrix.md" docs/matrix.md
say 'docs/matrix.md is written'
