#!/bin/sh
# The tests of the Python SDK, in an environment of their own with locked packages. The native half
# is built for debugging, beside the other crates. Arguments are pytest's: what to run, or -k NAME.
set -eu
cd "$(dirname "$0")/.."

target=${CARGO_TARGET_DIR:-$PWD/target}
environment=$target/python
locked=sdk-python/requirements-test.txt

# Made anew when the packages or the interpreter are others.
mark=$environment/made-from
made_from=$(python3 -c 'import sys; print(sys.base_prefix, sys.version)' && cat "$locked")
if [ ! -e "$mark" ] || [ "$(cat "$mark")" != "$made_from" ]; then
    python3 -m venv --clear "$environment"
    "$environment/bin/pip" install --quiet --disable-pip-version-check --require-hashes -r "$locked"
    # Its programs find the package as if it were installed, and the examples run with them.
    packages=$("$environment/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
    printf '%s\n' "$PWD/sdk-python/python" >"$packages/extline.pth"
    printf '%s\n' "$made_from" >"$mark"
fi

if [ -z "${EXTLINE_BUILT:-}" ]; then
    cargo build --locked --quiet -p extline-python -p extline-python-model -p extline-python-testing -p extline-cli -p embed-host
    cargo build --locked --quiet -p extline-conformance --examples
fi
for ending in so dylib; do
    # The old file is left to those who have it loaded.
    place() { [ ! -e "$1" ] || { rm -f "sdk-python/python/extline/$2" && cp "$1" "sdk-python/python/extline/$2"; }; }
    place "$target/debug/libextline_native.$ending" _native.abi3.so
    place "$target/debug/libextline_model_native.$ending" model/_native.abi3.so
    place "$target/debug/libextline_testing_native.$ending" testing/_native.abi3.so
done
# The one for MCP that an installation has left there is of an earlier build; the first can be both.
rm -f sdk-python/python/extline/_native_mcp.*

# The types, and that the stubs of the native modules are what these are.
if [ "$#" -eq 0 ]; then
    # They wait more than they compute.
    set -- -n 2 sdk-python/tests
    (
        cd sdk-python/python
        "$environment/bin/python" -m mypy --strict --cache-dir "$target/mypy" extline
        MYPYPATH=. "$environment/bin/python" -m mypy.stubtest --concise extline._native extline.model._native extline.testing._native
    )
fi

exec "$environment/bin/python" -m pytest -q \
    -c sdk-python/pyproject.toml --rootdir sdk-python "$@"
