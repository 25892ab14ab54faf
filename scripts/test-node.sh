#!/bin/sh
# The tests of the Node SDK, with locked packages. The native half is built for debugging, beside the
# other crates. Arguments are names of tests (errors, schema), or options of `node --test`.
set -eu
cd "$(dirname "$0")/../sdk-node"

# Installed anew when the packages or Node are others.
mark=node_modules/.installed-from
installed_from=$(node --version && cat package-lock.json)
if [ ! -e "$mark" ] || [ "$(cat "$mark")" != "$installed_from" ]; then
    npm ci --no-fund --no-audit --loglevel=error
    printf '%s\n' "$installed_from" >"$mark"
fi

npm run --silent build:native -- --debug
npm run --silent build:ts
cargo build --locked --quiet -p extline-cli -p embed-host # the examples are run by them
exec npm run --silent test -- "$@"
