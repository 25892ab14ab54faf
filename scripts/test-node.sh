#!/bin/sh
# The tests of the Node SDK. Arguments are names of tests (errors, schema), or options of `node --test`.
set -eu
cd "$(dirname "$0")/.."

scripts/build-node.sh
cd sdk-node
exec npm run --silent test -- "$@"
