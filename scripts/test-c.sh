#!/bin/sh
# The tests of the C SDK: the header in every C and C++, the tests in C under the sanitizers and under
# valgrind, the kit, and what the library exports, needs and weighs. Arguments are names of tests
# (answers, keeping), which are then all that runs.
set -eu
cd "$(dirname "$0")/.."

target=${CARGO_TARGET_DIR:-$PWD/target}
built=$target/c
include=$PWD/sdk-c/include
tests=sdk-c/tests/c
mkdir -p "$built/lib"

main() {
    [ -n "${EXTLINE_BUILT:-}" ] || {
        cargo build --locked --quiet -p extline-c -p extline-c-model -p extline-cli
        cargo build --locked --quiet -p extline-conformance --examples
    }
    place_library "$target/debug" "$built/lib"
    chosen=$*
    if [ -z "$chosen" ]; then
        chosen=$(cd $tests && for test in *_test.c; do printf '%s ' "${test%_test.c}"; done)
        check_header
        check_that_all_is_tested
        start_kit
    fi
    run_under_sanitizers
    run_under_valgrind
    if [ "$#" -eq 0 ]; then
        check_model
        check_library
        end_kit
    fi
    say 'all is well'
}

say() { printf 'C: %s\n' "$1"; }

fail() {
    printf 'C: %s\n' "$1" >&2
    exit 1
}

# place_library FROM TO: under its own name too, by which programs look for it.
place_library() {
    cp "$1/libextline.so" "$2/libextline.so"
    ln -sf libextline.so "$2/$(soname "$1/libextline.so")"
}

soname() { readelf -d "$1" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p'; }

# One that takes no such -std is passed over by name.
check_header() {
    for standard in c99 c11 c17 c2x; do check_header_as cc c $standard; done
    if command -v c++ >/dev/null 2>&1; then
        for standard in c++11 c++14 c++17 c++20; do check_header_as c++ c++ $standard; done
    else
        say 'SKIPPED the header in C++: there is no c++ (apt-get install g++)'
    fi
    if command -v clang >/dev/null 2>&1; then
        for standard in c99 c11; do check_header_for_msvc c $standard; done
        for standard in c++11 c++17; do check_header_for_msvc c++ $standard; done
    else
        say 'SKIPPED the header as MSVC reads it: there is no clang (apt-get install clang)'
    fi
}

# check_header_for_msvc LANGUAGE STANDARD: for the target of MSVC, with the headers that a compiler brings itself and
# stand-ins for two of Microsoft's.
check_header_for_msvc() {
    printf '#include <extline.h>\n#include <extline_model.h>\nint main(void) { return extline_result_name(EXTLINE_OK) == 0; }\n' |
        clang --target=x86_64-pc-windows-msvc -ffreestanding -fsyntax-only -x "$1" -std="$2" -Wall -Wextra -Wpedantic \
            -Werror -I"$include" -isystem sdk-c/tests/msvc - || fail "the header does not compile for MSVC as $2"
}

# check_header_as COMPILER LANGUAGE STANDARD: alone, and with each of its inline functions compiled.
check_header_as() {
    if ! echo 'int main(void) { return 0; }' | "$1" -x "$2" -std="$3" -fsyntax-only - 2>/dev/null; then
        say "SKIPPED the header as $3: $1 is too old for it"
        return
    fi
    printf '#include <extline.h>\n#include <extline.h>\nint main(void) { return extline_result_name(EXTLINE_OK) == 0; }\n' |
        "$1" -x "$2" -std="$3" -O1 -Wall -Wextra -Wpedantic -Werror -I"$include" -c -o /dev/null - ||
        fail "the header does not compile as $3"
}

# Each function of the header stands in some test, and in the test of pointers that are NULL if it
# takes one.
check_that_all_is_tested() {
    functions=$(grep -o '\bextline_[a-z0-9_]*(' "$include/extline.h" | tr -d '(' | sort -u)
    for function in $functions; do
        grep -qw "$function" $tests/*_test.c || fail "no test names $function"
    done
}

run_under_sanitizers() {
    make --silent -C $tests -j2 OUT="$built/sanitized" INCLUDE="$include" LIBRARY="$built/lib" \
        CHECKED='-fsanitize=address,undefined -fno-sanitize-recover=all'
    for test in $chosen; do
        run_test 'the sanitizers' "$test" "$built/sanitized/${test}_test"
    done
    say 'tests under the sanitizers: ok'
}

run_under_valgrind() {
    if ! command -v valgrind >/dev/null 2>&1; then
        say 'SKIPPED the tests under valgrind: apt-get install valgrind'
        return
    fi
    # Without what a debugger knows of each line, which valgrind would read anew for every process.
    mkdir -p "$built/stripped"
    place_library "$target/debug" "$built/stripped"
    strip --strip-debug "$built/stripped/libextline.so"
    make --silent -C $tests -j2 OUT="$built/plain" INCLUDE="$include" LIBRARY="$built/stripped" CHECKED=
    for test in $chosen; do
        run_test valgrind "$test" valgrind --quiet --error-exitcode=97 --leak-check=full --errors-for-leak-kinds=definite,indirect \
            --trace-children=yes --child-silent-after-fork=yes "$built/plain/${test}_test"
    done
    say 'tests under valgrind: ok'
}

# run_test HOW NAME COMMAND...: says nothing when all is well.
run_test() {
    log=$built/$2.tap
    how=$1 name=$2
    shift 2
    "$@" >"$log" 2>&1 || {
        grep -v '^ok ' "$log" >&2
        fail "the test $name failed under $how"
    }
}

# It waits more than it computes, so it is played beside the tests, by the tester and by hosts that are
# hostile: no cancel is lost, and it ends in time whatever its host does not read.
start_kit() {
    make --silent -C conformance/kit/c EXTLINE_CFLAGS="-I$include" \
        EXTLINE_LIBS="-L$built/lib -Wl,-rpath,$built/lib -lextline"
    {
        "$target/debug/extline" conformance --level kit --cases conformance/found conformance/kit/c &&
            "$target/debug/examples/cancels" conformance/kit/c/build/extline-kit &&
            "$target/debug/examples/ends" conformance/kit/c/build/extline-kit
    } >"$built/kit.log" 2>&1 &
    kit=$!
}

end_kit() {
    wait "$kit" || {
        cat "$built/kit.log" >&2
        fail 'the kit does not conform'
    }
    say "the kit: $(grep '^conformant' "$built/kit.log" | tail -n 1)"
}

# The library for agents: what stands in its header, under the sanitizers, and the sample of its page.
check_model() {
    for function in $(grep -o '\bextline_model_[a-z_]*(' "$include/extline_model.h" | tr -d '(' | sort -u); do
        grep -qw "$function" $tests/model/model_test.c || fail "no test names $function"
    done
    cc -std=c99 -pedantic -Wall -Wextra -Werror -g -fsanitize=address,undefined -fno-sanitize-recover=all -I"$include" \
        -o "$built/model_test" $tests/model/model_test.c "$target/debug/libextline_model.a" -lpthread -ldl -lm
    "$built/model_test" || fail 'the library for agents failed'
    awk '/^```c$/ { inside = 1; next } /^```$/ { inside = 0 } inside' docs/c/model.md >"$built/sample.c"
    cc -std=c99 -Wall -Wextra -Werror -I"$include" -o "$built/sample" "$built/sample.c" \
        "$target/debug/libextline_model.a" -lpthread -ldl -lm
    awk '/^```text$/ { inside = 1; next } /^```$/ { inside = 0 } inside' docs/c/model.md >"$built/sample.txt"
    "$built/sample" | cmp - "$built/sample.txt" || fail 'docs/c/model.md shows something else'
    say 'the library for agents: ok'
}

# What its users get is the release build.
check_library() {
    cargo build --locked --quiet --release -p extline-c
    library=$target/release/libextline.so
    others=$(nm -D --defined-only "$library" | awk '{ print $NF }' | grep -v '^extline_' || true)
    [ -z "$others" ] || fail "the library exports what is not its own: $others"
    size=$(stat -c %s "$library")
    [ "$size" -le 1500000 ] || fail "the library has $size bytes, more than 1.5 MB"
    [ -n "$(soname "$library")" ] || fail 'the library has no SONAME'
    # Its own unwinder, see sdk-c/build.rs.
    ! readelf -d "$library" | grep -q 'NEEDED.*libgcc_s' || fail 'the library loads libgcc_s'
    version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml)
    grep -qx "#define EXTLINE_VERSION \"$version\"" "$include/extline.h" || fail "the header is not of version $version"
    # Alone, with the libraries of the system that extline.pc names.
    make --silent -C sdk-c install PREFIX="$built/installed" >"$built/install.log" 2>&1 || {
        cat "$built/install.log" >&2
        fail 'make install failed'
    }
    private=$(sed -n 's/^Libs.private: *//p' "$built/installed/lib/pkgconfig/extline.pc")
    # shellcheck disable=SC2086 # several options
    cc -std=c11 -D_GNU_SOURCE -O1 -I"$built/installed/include" -o "$built/static" $tests/life_test.c \
        "$built/installed/lib/libextline.a" $private || fail 'a program does not link with libextline.a'
    "$built/static" >"$built/static.tap" || fail 'a program with libextline.a does not work'
    check_mcp
    say "the library: ok, $size bytes"
}

# The library as it is installed has no MCP, and says so.
check_mcp() {
    # shellcheck disable=SC2086 # several options
    cc -std=c11 -D_GNU_SOURCE -O1 -I"$built/installed/include" -o "$built/weather" examples/weather-c/weather.c \
        "$built/installed/lib/libextline.a" $private || fail 'examples/weather-c does not link with libextline.a'
    said=$("$built/weather" --mcp </dev/null 2>&1) && fail 'a library without MCP serves it'
    # shellcheck disable=SC2016 # the text has backquotes
    case $said in
    *'start the program by `extline mcp -- PROGRAM`'*) ;;
    *) fail "a library without MCP says: $said" ;;
    esac
    said=$(make --silent -C sdk-c install PREFIX="$built/installed" MCP=maybe 2>&1) && fail 'MCP=maybe is taken'
    case $said in
    *'MCP is yes or no, and not maybe'*) ;;
    *) fail "make install MCP=maybe says: $said" ;;
    esac
}

main "$@"
