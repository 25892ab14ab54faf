#!/bin/sh
# The Node SDK as the tests and the demo use it: with locked packages, the native half built for
# debugging, beside the other crates. With --typescript without the native half.
set -eu
cd "$(dirname "$0")/../sdk-node"

# Installed anew when the packages or Node are others.
mark=node_modules/.installed-from
installed_from=$(node --version && cat package-lock.json)
if [ ! -e "$mark" ] || [ "$(cat "$mark")" != "$installed_from" ]; then
    npm ci --no-fund --no-audit --loglevel=error
    printf '%s\n' "$installed_from" >"$mark"
fi

[ "${1-}" = --typescript ] || npm run --silent build:native -- --debug
npm run --silent build:ts
