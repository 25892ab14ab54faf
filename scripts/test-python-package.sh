#!/bin/sh
# The Python package as its users get it: a source archive is made, a wheel is built from it outside
# the repository and installed in a fresh environment, and an extension is called and tested there.
# Then what the pages have a newcomer type to install it. All of it is built for debugging, to save minutes;
# `make dist-test` has what is released.
set -eu
cd "$(dirname "$0")/.."

target=${CARGO_TARGET_DIR:-$PWD/target}
built=$target/python-package
rm -rf "$built/dist" "$built/environment" "$built/elsewhere"
# Every file of a source archive has the same time, by which cargo would take our crates for built.
rm -rf "$built"/target/debug/.fingerprint/extline-*
mkdir -p "$built/elsewhere"

"$target/python/bin/maturin" sdist -m sdk-python/Cargo.toml -o "$built/dist" 2>"$built/log" || { cat "$built/log" >&2; exit 1; }
python3 -m venv "$built/environment"
# Cargo's folder is kept, so that the next run builds only what changed. Maturin is the locked one.
export MATURIN_PEP517_ARGS='--profile dev'
PATH=$target/python/bin:$PATH CARGO_TARGET_DIR=$built/target \
    "$target/python/bin/pip" wheel --quiet --disable-pip-version-check \
    --no-build-isolation --no-deps -w "$built/dist" "$built"/dist/extline-*.tar.gz
# What it depends on comes in the version and with the hashes that are locked.
for wheel in "$built"/dist/extline-*.whl; do
    "$target/python/bin/pip" hash "$wheel" | sed -n "s|^--hash|extline @ file://$wheel &|p"
done >"$built/requirements"
sed -n '/^msgspec==/,/^ *#/p' sdk-python/requirements-test.txt >>"$built/requirements"
"$built/environment/bin/pip" install --quiet --disable-pip-version-check --require-hashes \
    -r "$built/requirements"

cd "$built/elsewhere"
cat >hello.py <<'EXTENSION'
from dataclasses import dataclass

from extline import Extension

ext = Extension("hello", "1.0.0")

@dataclass
class Person:
    name: str

@ext.tool
def greet(person: Person) -> str:
    """Greets somebody."""
    return f"Hello, {person.name}!"

if __name__ == "__main__":
    ext.run()
EXTENSION
answer=$(printf '%s\n' '{"type":"hello_ack","protocol_version":1}' \
    '{"type":"tool_call","id":"1","name":"greet","args":{"person":{"name":"Ada"}}}' |
    "$built/environment/bin/python" hello.py | tail -n 1)
expected='{"type":"tool_result","id":"1","content":[{"type":"text","text":"Hello, Ada!"}]}'
if [ "$answer" != "$expected" ]; then
    printf 'expected %s\nbut got  %s\n' "$expected" "$answer" >&2
    exit 1
fi

# As an MCP server, with the larger module.
answer=$(printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"greet","arguments":{"person":{"name":"Ada"}}}}' |
    "$built/environment/bin/python" hello.py --mcp)
expected='{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"Hello, Ada!"}]}}'
if [ "$answer" != "$expected" ]; then
    printf 'expected %s\nbut got  %s\n' "$expected" "$answer" >&2
    exit 1
fi

# As an author tests it; the testing host has a native module of its own.
cat >test_hello.py <<'TEST'
from extline.testing import Host
from hello import ext

with Host(ext) as host:
    assert host.call("greet", person={"name": "Ada"}).text == "Hello, Ada!"
TEST
"$built/environment/bin/python" test_hello.py

# As an agent mends what its model wrote; that has a native module of its own too.
EXTLINE_STDIO=leave "$built/environment/bin/python" -c '
from extline.model import repair
assert repair("{a: 1,}").value == {"a": 1}'

cd "$OLDPWD"
"$target/python/bin/python" -m pytest -q -c sdk-python/pyproject.toml --rootdir sdk-python \
    sdk-python/tests/installed.py
