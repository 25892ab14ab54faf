#!/bin/sh
# Hostile extensions and hostile hosts, for SOAK_SECONDS (default 600) in all. What is drawn is drawn from
# SOAK_SEED, which is printed; only the commands meet each attack once, in order, however long that takes.
# `make test` runs a short form of each part, and no attack against the tester.
set -eu
cd "$(dirname "$0")/.."

seconds=${SOAK_SECONDS:-600}
seed=${SOAK_SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}
target=${CARGO_TARGET_DIR:-$PWD/target}
kits=conformance/kit
failed=''
trap 'exit 130' INT
trap 'exit 143' TERM

main() {
    printf 'SOAK_SEED=%s SOAK_SECONDS=%s\n' "$seed" "$seconds"
    cargo build --locked --workspace --all-targets
    scripts/build-kits.sh
    export EXTLINE_BUILT=1 EXTLINE_SOAK_SEED="$seed"
    PATH=$target/python/bin:$PATH

    part 25 'hostile extensions beside an honest one, under one host' \
        cargo test --locked --quiet -p extline-host --test hostile -- --nocapture
    part 15 'hostile extensions against each command, with 1 GiB of memory' \
        cargo test --locked --quiet -p extline-cli --test hostile -- --nocapture --include-ignored
    part 20 'guards that are killed, stopped, late and started again' \
        cargo test --locked --quiet -p extline-host --test guard_races -- --nocapture
    for kit in rust c sdk-python sdk-node; do
        part 5 "cancels that cross with everything, against the kit $kit" cancels "$kit"
        part 5 "sessions that the seed draws, against the kit $kit" fuzz "$kit"
    done

    if [ -n "$failed" ]; then
        printf '\nFAILED, again with SOAK_SEED=%s:%s\n' "$seed" "$failed"
        exit 1
    fi
    printf '\nNothing broke. SOAK_SEED=%s\n' "$seed"
}

# part PERCENT NAME COMMAND...: gives it its share of the time; after a failure the next part follows.
part() {
    EXTLINE_SOAK_SECONDS=$((seconds * $1 / 100 + 1))
    export EXTLINE_SOAK_SECONDS
    name=$2
    printf '\n== %s, for %s s\n' "$name" "$EXTLINE_SOAK_SECONDS"
    shift 2
    "$@" || failed="$failed
  $name"
}

cancels() {
    host=$target/debug/examples/cancels
    case $1 in
    rust) "$host" "$target/debug/extline-kit" ;;
    c) "$host" "$kits/c/build/extline-kit" ;;
    sdk-python) "$host" python3 "$kits/sdk-python/kit.py" ;;
    sdk-node) "$host" node "$kits/sdk-node/dist/kit.js" ;;
    esac
}

fuzz() {
    "$target/debug/extline" conformance fuzz --seed "$seed" --time "${EXTLINE_SOAK_SECONDS}s" "$kits/$1"
}

main
