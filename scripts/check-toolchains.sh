#!/bin/sh
# Checks for the toolchains that `make demo` and `make test` need. Silent when all are there;
# otherwise one line for each that is missing, with the way to get it, and exit 1.
set -u

missing=0
main() {
    check_rust
    check_linker
    check_python
    check_node
    check_bash
    exit "$missing"
}

check_rust() {
    how='get it from https://rustup.rs'
    if ! command -v cargo >/dev/null 2>&1; then
        report "Rust (cargo): $how"
        return
    fi
    # "cargo 1.88.0 (873a06493 2025-05-10)": asked in this folder, where rust-toolchain.toml counts.
    version=$(cd "$(dirname "$0")/.." && cargo --version 2>/dev/null | awk '{ print $2 }')
    if [ -z "$version" ]; then
        report "a Rust toolchain (cargo is there but does not start): rustup toolchain install stable; or $how"
        return
    fi
    minor=${version#1.}
    minor=${minor%%.*}
    [ "$minor" -ge 88 ] || report "Rust 1.88 or newer (found $version): rustup update stable; or $how"
}

# cargo links nothing without it, and says so only after minutes.
check_linker() {
    command -v cc >/dev/null 2>&1 ||
        report 'a C compiler (cc): apt-get install build-essential (Debian, Ubuntu), dnf install gcc (Fedora), xcode-select --install (macOS)'
    # Extensions in C are built by the tests and the demo, as their authors build them.
    command -v pkg-config >/dev/null 2>&1 || command -v pkgconf >/dev/null 2>&1 ||
        report 'pkg-config: apt-get install pkg-config (Debian, Ubuntu), dnf install pkgconf-pkg-config (Fedora), brew install pkgconf (macOS)'
}

check_python() {
    how='get it from https://www.python.org/downloads, or apt-get install python3 (Debian, Ubuntu)'
    if ! command -v python3 >/dev/null 2>&1; then
        report "Python 3.10 or newer (python3): $how"
        return
    fi
    python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null ||
        report "Python 3.10 or newer (found $(python3 --version 2>&1)): $how"
    python3 -c 'import ensurepip, venv' 2>/dev/null ||
        report "Python's venv (the tests of the Python SDK make an environment): apt-get install python3-venv (Debian, Ubuntu), or $how"
}

# The Node SDK is built and tested, and extensions in JavaScript are started by the tests.
check_node() {
    how='get it from https://nodejs.org, or apt-get install nodejs npm (Debian, Ubuntu)'
    if ! command -v node >/dev/null 2>&1; then
        report "Node 20.17 or newer (node): $how"
        return
    fi
    node -e 'const [major, minor] = process.versions.node.split("."); process.exit(major * 100 + +minor < 2017 ? 1 : 0)' 2>/dev/null ||
        report "Node 20.17 or newer (found $(node --version 2>&1)): $how"
    command -v npm >/dev/null 2>&1 ||
        report 'npm, the package manager of Node: it comes with https://nodejs.org, or apt-get install npm (Debian, Ubuntu)'
}

# An extension in bash is started by the tests.
check_bash() {
    command -v bash >/dev/null 2>&1 || report 'bash: apt-get install bash (Debian, Ubuntu)'
}

report() {
    printf 'missing: %s\n' "$1"
    missing=1
}

main
