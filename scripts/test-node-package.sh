#!/bin/sh
# The Node package as its users get it: packed, installed in another folder, and there an extension is
# tested, called from an ES module, from CommonJS and from TypeScript, and compiled by every way of
# finding modules.
# NODES="/path/to/node ..." names more versions of Node to run it with.
set -eu
cd "$(dirname "$0")/.."

sdk=$PWD/sdk-node
place=${CARGO_TARGET_DIR:-$PWD/target}/node-package
nodes="$(command -v node) ${NODES:-}"

main() {
    # The module that every extension loads is as it is released, and the others are not, to save minutes;
    # `make dist-test` has all of them.
    (cd sdk-node && npm run --silent build:native -- --debug-others && npm run --silent build:ts && npm run --silent stage)
    rm -rf "$place"
    mkdir -p "$place"

    # What `npm pack` makes by itself works on this machine; what is published, on all of them.
    pack "$sdk" && install whole "$place"/extline-0*.tgz
    for folder in "$sdk"/npm/*; do pack "$folder"; done
    mkdir "$place/parts" && mv "$place"/extline-*.tgz "$place/parts"
    install published "$place"/parts/extline-*.tgz
    test ! -e "$place/published/node_modules/extline/extline."*.node

    for folder in whole published; do
        cd "$place/$folder"
        write_extensions
        for node in $nodes; do
            answers "$node" hello.mjs
            answers "$node" hello.cjs
            answers_mcp "$node" hello.mjs
            "$node" model.mjs
            "$node" --test --test-reporter=dot hello.test.mjs >&2
            # Node 22.18 and newer leave the types out by themselves.
            if "$node" -e 'process.exit(process.features.typescript ? 0 : 1)'; then
                answers "$node" hello.ts
            fi
        done
        answers "$sdk/node_modules/.bin/tsx" hello.ts
    done
    cd "$place/whole"
    compiles
    size=$(wc -c <"$(ls "$sdk"/extline.*.node)")
    printf 'the native module has %s bytes\n' "$size" >&2
    [ "$size" -le 1500000 ] || { echo 'more than 1.5 MB' >&2; exit 1; }
}

# pack FOLDER: makes an archive of a package.
pack() {
    (cd "$1" && npm pack --silent --pack-destination "$place" >/dev/null)
}

# install NAME ARCHIVE...: in a folder of its own, from nowhere else.
install() {
    mkdir "$place/$1"
    printf '{"private": true, "type": "module"}\n' >"$place/$1/package.json"
    folder=$1
    shift
    (cd "$place/$folder" && npm install --silent --offline --no-audit --no-fund "$@")
}

write_extensions() {
    # shellcheck disable=SC2016 # the backquotes are JavaScript's
    body='const ext = new Extension("hello", "1.0.0");
ext.tool("greet", {
  description: "Greets somebody.",
  input: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
}, ({ name }) => `Hello, ${name}!`);'
    printf 'import { Extension } from "extline";\n%s\nawait ext.run(import.meta);\n' "$body" >hello.mjs
    printf 'import { Extension } from "extline";
import { Host } from "extline/testing";
import { test } from "node:test";
%s
test("greet", () => Host.with(ext, async (host) => {
  if ((await host.call("greet", { name: "Ada" })).text !== "Hello, Ada!") throw new Error("another answer");
}));\n' "$body" >hello.test.mjs
    printf 'const { Extension } = require("extline");\n%s\next.run(module);\n' "$body" >hello.cjs
    printf 'import { Extension, type Context } from "extline";\n%s\nexport type { Context };\nawait ext.run(import.meta);\n' "$body" >hello.ts
    printf 'import { repair } from "extline/model";
if (repair("{a: 1,}").json !== "{\\"a\\":1}") throw new Error("another value");\n' >model.mjs
    cp hello.ts hello.mts
    printf 'import { Extension, type Context } from "extline";\n%s\nexport type { Context };\nvoid ext.run(module);\n' "$body" >hello.cts
}

# answers RUNTIME FILE: the extension answers a call.
answers() {
    answer=$(printf '%s\n' '{"type":"hello_ack","protocol_version":1}' \
        '{"type":"tool_call","id":"1","name":"greet","args":{"name":"Ada"}}' | "$1" "$2" | tail -n 1)
    expected='{"type":"tool_result","id":"1","content":[{"type":"text","text":"Hello, Ada!"}]}'
    if [ "$answer" != "$expected" ]; then
        printf '%s %s: expected %s\nbut got  %s\n' "$1" "$2" "$expected" "$answer" >&2
        exit 1
    fi
}

# answers_mcp RUNTIME FILE: the extension answers a call of an MCP client, with the larger module.
answers_mcp() {
    answer=$(printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"greet","arguments":{"name":"Ada"}}}' |
        "$1" "$2" --mcp)
    expected='{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"Hello, Ada!"}]}}'
    if [ "$answer" != "$expected" ]; then
        printf '%s %s --mcp: expected %s\nbut got  %s\n' "$1" "$2" "$expected" "$answer" >&2
        exit 1
    fi
}

# The declarations hold in the strictest mode, with nothing skipped, wherever the compiler looks; an ES
# module needs no types of Node's.
compiles() {
    compile '' nodenext nodenext hello.mts
    compile '' preserve bundler hello.mts
    mkdir -p node_modules/@types
    cp -R "$sdk/node_modules/@types/node" node_modules/@types/
    cp -R "$sdk/node_modules/undici-types" node_modules/
    compile node nodenext nodenext hello.mts hello.cts
    compile node node20 node16 hello.mts hello.cts
    compile node esnext bundler hello.mts
}

# compile TYPES MODULE RESOLUTION FILE...
compile() {
    types=$1 module=$2 resolution=$3
    shift 3
    "$sdk/node_modules/.bin/tsc" --noEmit --strict --exactOptionalPropertyTypes --target es2022 \
        --types "$types" --module "$module" --moduleResolution "$resolution" "$@"
}

main
