#!/bin/sh
# Rewrites the files that are generated from code and docs (the JSON Schema of every frame and service, the
# types of the services and events in Python and TypeScript, the list of clauses, what checks each clause, the tables of
# events in the pages of each language, the references of the command and of the packages for Python and
# TypeScript, what clients of MCP do, the headers for C): the same tests that fail when such a file has
# drifted write it instead.
set -eu
cd "$(dirname "$0")/.."

printf '== running the drift tests of extline-protocol in rewriting mode\n'
EXTLINE_GENERATE=1 cargo test --locked -p extline-protocol

printf '\n== running the drift test of extline-services in rewriting mode\n'
EXTLINE_GENERATE=1 cargo test --locked -p extline-services

printf '\n== running the drift tests of extline-cli in rewriting mode\n'
EXTLINE_GENERATE=1 cargo test --locked -p extline-cli --test ext --test help --test lint

printf '\n== running the drift test of extline-conformance in rewriting mode\n'
EXTLINE_GENERATE=1 cargo test --locked -p extline-conformance --test coverage

printf '\n== running the drift tests of the C headers in rewriting mode\n'
EXTLINE_GENERATE=1 cargo test --locked -p extline-c -p extline-c-model --test header

printf '\n== running the drift test of the Python reference in rewriting mode\n'
EXTLINE_GENERATE=1 scripts/test-python.sh sdk-python/tests/test_reference.py

printf '\n== making the reference of the TypeScript package anew\n'
scripts/build-node.sh
EXTLINE_GENERATE=1 node sdk-node/scripts/reference.mjs

printf '\n== what differs from the last commit\n'
git --no-pager diff --stat
git ls-files --others --exclude-standard | sed 's/^/ new file: /'
