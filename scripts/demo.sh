#!/bin/sh
# Starts the example extensions under the real host: what each registers, one of its commands, one
# of its tools; an agent whose model is kept in check by a guard; then several extensions in one
# session, and the proof that no process is left behind.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd -P)
cd "$root"

extline=target/debug/extline
python=examples/hello-python-raw
shell=examples/clock-shell
weather=examples/weather-rust
guard=examples/guard-rust
todo=examples/todo-rust
weather_python=examples/weather-python
weather_typescript=examples/weather-typescript
weather_c=examples/weather-c
agent=examples/embed-host

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export EXTLINE_HOME="$scratch/home" # logs, and what extensions keep

main() {
    heading 'building (a debug build; the first time takes about two minutes)'
    cargo build --locked --workspace --target-dir target

    heading "$python: a plain Python script, no SDK"
    # It sends no `ready`, as a zot allows: a host like that one does not wait for it.
    run inspect --profile zot-0.1.62 "$python"
    run command --profile zot-0.1.62 "$python" hellopy

    heading "$shell: a plain shell script, no SDK"
    run inspect "$shell"
    run command "$shell" clock utc
    run call "$shell" clock_now '{"utc":true}'

    heading "$weather: Rust, on the SDK"
    run inspect "$weather"
    run command "$weather" weather Berlin
    run call "$weather" weather '{"city":"Berlin"}'

    heading "$weather_python: Python, on the SDK"
    python_environment
    run inspect "$weather_python"
    run command "$weather_python" weather Berlin
    run call "$weather_python" weather '{"city":"Berlin"}'

    heading "$weather_typescript: TypeScript, on the SDK"
    node_packages
    run inspect "$weather_typescript"
    run command "$weather_typescript" weather Berlin
    run call "$weather_typescript" weather '{"city":"Berlin"}'

    heading "$weather_c: C, on the library"
    c_library
    run inspect "$weather_c"
    run command "$weather_c" weather Berlin
    run call "$weather_c" weather '{"city":"Berlin"}'

    heading 'recorded sessions, played to the extensions again'
    for folder in "$weather" "$weather_python" "$weather_typescript" "$weather_c"; do
        replayed "$folder"
    done

    heading "$agent: an agent that runs extensions, with a model of rules"
    converse 'how is the weather?' 'please clean up'
    expect 'blocked by guard-rust: refused'
    expect 'bash runs: .*"timeout":120'

    heading "$todo: a panel, shown by that agent"
    converse /todo a 'ship it' enter space esc
    expect '> \[x\] ship it'

    heading 'several in one session'
    session
    nothing_left
}

# An environment in which the Python package is as if installed, first in PATH from here on.
python_environment() {
    for built in target/debug/libextline_native.so target/debug/libextline_native.dylib; do
        [ ! -e "$built" ] || cp "$built" sdk-python/python/extline/_native.abi3.so
    done
    python3 -m venv --without-pip "$scratch/python"
    PATH=$scratch/python/bin:$PATH
    packages=$(python3 -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
    printf '%s\n' "$root/sdk-python/python" >"$packages/extline.pth"
}

# The Node package, built for debugging, known to the examples as `npm install` makes it known there.
node_packages() {
    scripts/build-node.sh
    node sdk-node/scripts/link.mjs examples tsx zod
}

# The C library, built for debugging and installed where only this demo looks, and the example made
# with it.
c_library() {
    CARGO_TARGET_DIR=$root/target make -s -C sdk-c install PROFILE=dev PREFIX="$scratch/c" >"$scratch/made"
    PKG_CONFIG_PATH=$scratch/c/lib/pkgconfig make -s -C "$weather_c" clean weather
}

# run ARGUMENT...: one call of extline, shown as a user would type it.
run() {
    shown='$ extline'
    for argument; do
        case $argument in
        *[!A-Za-z0-9_./-]*) shown="$shown '$argument'" ;;
        *) shown="$shown $argument" ;;
        esac
    done
    printf '\n%s\n' "$shown"
    "$extline" "$@" || fail "extline $1 ended with exit status $?"
}

# replayed FOLDER: a session with that extension is recorded, and played to it once more.
replayed() {
    printf '!weather {"city":"Berlin"}\n/weather Berlin\n' |
        "$extline" record "$scratch/session.ndjson" "$1" >"$scratch/recorded" 2>&1 ||
        fail "extline record ended with exit status $?: $(cat "$scratch/recorded")"
    run conformance replay "$scratch/session.ndjson" "$1"
}

# converse LINE...: the agent with three extensions, and a user who types these lines.
converse() {
    printf '\n$ embed-host %s %s %s %s\n\n' "$agent/model.json" "$weather" "$guard" "$todo"
    status=0
    printf '%s\n' "$@" |
        target/debug/embed-host "$agent/model.json" "$weather" "$guard" "$todo" \
            >"$scratch/said" 2>&1 || status=$?
    sed 's/^/    /' "$scratch/said"
    [ "$status" -eq 0 ] || fail "embed-host ended with exit status $status"
}

# expect PATTERN: fails when the agent did not say it; a guard that does not guard is no demo.
expect() {
    grep -q "$1" "$scratch/said" || fail "it did not say $1"
}

# One host with three extensions. Its input stays open until all of them are seen running: that a
# process is gone afterwards means something only when it was there before.
session() {
    mkfifo "$scratch/input"
    printf '\n$ extline run %s %s %s\n' "$python" "$shell" "$weather"
    "$extline" run "$python" "$shell" "$weather" <"$scratch/input" >"$scratch/output" 2>&1 &
    host=$!
    trap '' PIPE # a host that ends early makes `type_line` fail, and does not end the demo unheard
    exec 3>"$scratch/input"

    type_line '/hellopy'
    type_line '/clock'
    type_line '!weather {"city":"Berlin"}'
    type_line ':tools'
    wait_for_extensions
    type_line ':quit'
    exec 3>&-
    status=0
    wait "$host" || status=$?

    printf '\nIt answered:\n'
    sed 's/^/    /' "$scratch/output"
    [ "$status" -eq 0 ] || fail "extline run ended with exit status $status"
}

type_line() {
    printf '    typed: %s\n' "$1"
    printf '%s\n' "$1" >&3 || session_failed 'extline run no longer reads its input'
}

# Leaves the process groups of the three running extensions in `groups`.
wait_for_extensions() {
    seconds=0
    while :; do
        processes | awk -v host="$host" '$2 == host && !/ extline-watchdog /' >"$scratch/running"
        [ "$(wc -l <"$scratch/running")" -lt 3 ] || break
        kill -0 "$host" 2>/dev/null || session_failed 'extline run ended before its extensions ran'
        [ "$seconds" -lt 30 ] || session_failed 'after 30 s not all three extensions were running'
        seconds=$((seconds + 1))
        sleep 1
    done
    groups=$(awk '{ print $3 }' "$scratch/running")
    printf '\nRunning now, each in its own process group:\n'
    awk '{ group = $3; $1 = $2 = $3 = $4 = ""; sub(/^ +/, ""); printf "    %-8s %s\n", group, $0 }' \
        "$scratch/running"
    printf '\n'
}

# Fails when a process of the session's groups is alive, a child of an extension included, or one
# that any call above started from an example's folder.
nothing_left() {
    processes >"$scratch/after"
    left=$(awk -v groups="$groups" -v folder="$root/examples/" '
        BEGIN { split(groups, list, /[ \n]+/); for (i in list) ours[list[i]] = 1 }
        ($3 in ours || index($0, folder)) && $4 !~ /^Z/' "$scratch/after")
    if [ -n "$left" ]; then
        printf '\nleft behind (pid, parent, group, state, command):\n%s\n' "$left"
        fail 'extensions outlived their host'
    fi
    printf '\nAll extensions were stopped: no process left.\n'
}

# Every process as "pid parent group state command". Linux is asked through /proc, because small
# images have no ps.
processes() {
    if [ ! -r /proc/self/stat ]; then
        ps -A -o pid= -o ppid= -o pgid= -o stat= -o args=
        return
    fi
    for process in /proc/[0-9]*; do
        # "7 (name) S 1 7 ...": the name may hold anything. A process may end while we look.
        { IFS= read -r line <"$process/stat"; } 2>/dev/null || continue
        command=$({ tr '\0\n' '  ' <"$process/cmdline"; } 2>/dev/null) || continue
        # shellcheck disable=SC2086 # the rest is numbers and one letter, to be split
        set -- ${line##*) }
        printf '%s %s %s %s %s\n' "${process#/proc/}" "$2" "$3" "$1" "$command"
    done
}

session_failed() {
    printf '\nThe host said:\n'
    sed 's/^/    /' "$scratch/output"
    fail "$1"
}

heading() { printf '\n== %s\n' "$1"; }

fail() {
    printf '\ndemo failed: %s\n' "$1"
    exit 1
}

main
