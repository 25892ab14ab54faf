#!/bin/sh
# Builds the tester and the kits in every language, as the tests do, for debugging. It says on stderr
# what it is doing; what a build prints is shown when it fails.
set -eu
cd "$(dirname "$0")/.."

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
target=${CARGO_TARGET_DIR:-$PWD/target}
export CARGO_TARGET_DIR="$target"

# build WHAT COMMAND...: what it prints is shown when it fails.
build() {
    printf 'builds %s\n' "$1" >&2
    shift
    "$@" >"$scratch/build.log" 2>&1 || {
        cat "$scratch/build.log" >&2
        exit 1
    }
}

build_typescript() {
    scripts/build-node.sh
    node sdk-node/scripts/build-kit.mjs
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

build 'the tester and the kit in Rust' \
    cargo build --locked -p extline-cli -p extline-kit -p extline-conformance --examples --bins
build 'the Python SDK' scripts/test-python.sh --collect-only sdk-python/tests/test_example_weather.py
build 'the kit in TypeScript' build_typescript
build 'the kit in C' build_c
