"""What is needed to build for a target, found on this machine or brought to target/dist-tools.

The linker for Windows is mingw's, which the machine has. That for every other target is zig's, through
cargo-zigbuild; both are Python packages. The standard
library of a target is rustup's where it is installed (`rustup target add TARGET`). Elsewhere Debian's
compiler is unpacked, not installed, and builds the standard library from its source with everything else.
"""

import functools
import os
import platform
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import frameworks
from commands import TOOLS, WORK, Failure, on_path, output, run, say
from source import SOURCE, epoch
from targets import MACOS

VENV = TOOLS / "venv"
DEBIAN = TOOLS / "debian"
# One compiler, with its source and with the LLVM that it loads. They are of Debian 12's security archive.
RUST = "1.96.0+dfsg1-1~deb12u2"
PACKAGES = {
    "rustc-web": RUST,
    "libstd-rust-web-1.96": RUST,
    "libstd-rust-web-dev": RUST,
    "rust-web-src": RUST,
    "libllvm22": "1:22.1.8-1~deb12u1",
}
CYCLONEDX = "0.5.9"
# Zig has no library for what mingw's linker is told to link.
MINGW = "x86_64-w64-mingw32-gcc"
# The linker leaves symbols out. rustc would have llvm-objcopy do it, which does not come with Debian's compiler, and
# which may put a table where macOS 27 does not load it. Zig keeps local symbols then: told to leave them out too
# (`-x`), it writes what lies in its memory in their places. A library of which nothing is called is not loaded either.
MACOS_FLAGS = ["-Cstrip=none", "-Clink-arg=-s", "-Clink-arg=-Wl,-dead_strip_dylibs"]
# Otherwise a program loads mingw's libraries, which no Windows has; and the time would be in the file.
MINGW_FLAGS = ["-Ctarget-feature=+crt-static", "-Clink-arg=-static", "-Clink-arg=-Wl,--no-insert-timestamp"]


class Missing(Exception):
    """A toolchain that is not to be had, and how to get it, in one line."""


def tools():
    """The folder of the programs that come as Python packages."""
    wanted = Path(__file__).with_name("requirements.txt").read_text()
    installed = VENV / "installed.txt"
    if not installed.is_file() or installed.read_text() != wanted:
        say("  tools: zig, cargo-zigbuild and maturin into target/dist-tools")
        shutil.rmtree(VENV, ignore_errors=True)
        run("venv", [sys.executable, "-m", "venv", VENV], quiet=True)
        pip = [VENV / "bin/pip", "install", "--quiet", "--disable-pip-version-check"]
        run("tools", [*pip, "-r", Path(__file__).with_name("requirements.txt")])
        installed.write_text(wanted)
    return VENV / "bin"


def cyclonedx():
    """The folder of cargo-cyclonedx, built where it is not there yet."""
    folder = TOOLS / "cargo"
    if not (folder / "bin/cargo-cyclonedx").is_file():
        say("  tools: cargo-cyclonedx into target/dist-tools, which takes minutes")
        install = ["cargo", "install", "--locked", "--quiet", "--root", folder, f"cargo-cyclonedx@{CYCLONEDX}"]
        run("cargo-cyclonedx", install, cwd=TOOLS)
    return folder / "bin"


@functools.cache
def has_std(triple):
    """Whether the machine's own rustc has the standard library of a target."""
    sysroot = Path(output(["rustc", "--print", "sysroot"]))
    return any((sysroot / "lib/rustlib" / triple / "lib").glob("libstd-*"))


@functools.cache
def debian_rustc():
    """Debian's compiler, which has the source of its standard library with it."""
    rustc = TOOLS / "bin/rustc"
    done = DEBIAN / "unpacked.txt"
    wanted = "".join(f"{name}={of}\n" for name, of in PACKAGES.items())
    if not done.is_file() or done.read_text() != wanted:
        if platform.machine() != "x86_64" or not (on_path("apt-get") and on_path("dpkg-deb")):
            raise Missing("rustup target add TARGET; without rustup, Debian 12 on x86-64 has a compiler for it")
        say("  toolchain: Debian's rustc into target/dist-tools")
        unpack(wanted.split(), DEBIAN)
        done.write_text(wanted)
    rustc.parent.mkdir(parents=True, exist_ok=True)
    library = shlex.quote(str(DEBIAN / "usr/lib/x86_64-linux-gnu"))
    program = shlex.quote(str(DEBIAN / "usr/bin/rustc"))
    rustc.write_text(f'#!/bin/sh\nLD_LIBRARY_PATH={library} exec {program} "$@"\n')
    rustc.chmod(0o755)
    return rustc


def unpack(packages, folder, options=()):
    """Downloads Debian packages, `NAME=VERSION` or `NAME:ARCH`, and unpacks them into a folder; nothing is installed."""
    archives = TOOLS / "deb"
    shutil.rmtree(archives, ignore_errors=True)
    archives.mkdir(parents=True)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        run("apt-get download", ["apt-get", *options, "download", *packages], cwd=archives, quiet=True)
    except Failure as failure:
        names = " ".join(packages)
        raise Missing(f"apt-get update, then look why this fails: apt-get download {names}") from failure
    for archive in sorted(archives.glob("*.deb")):
        run("dpkg-deb", ["dpkg-deb", "-x", archive, folder], quiet=True)
    shutil.rmtree(archives)


class Toolchain:
    """How cargo is called for a target."""

    def __init__(self, target, *, is_static=False, is_quick=False):
        self.target = target
        self.bin = tools()
        self.env = environment(self.bin)
        # For cargo and for maturin alike.
        self.options = []
        flags = remapped()
        if has_std(target.triple):
            self.kind = "rustup's std"
        else:
            self.kind = "std built from Debian's source"
            self.env.update(RUSTC=str(debian_rustc()), RUSTC_BOOTSTRAP="1")
            self.options = ["-Zbuild-std=std,panic_unwind"]
            if target.is_musl:
                # The start files of rustup's std are not there; zig has its own.
                flags += ["-Clink-self-contained=no"]
        if target.is_musl and not is_static:
            flags += ["-Ctarget-feature=-crt-static"]
        name = target.triple.replace("-", "_")
        if target.is_windows:
            flags += MINGW_FLAGS
            self.env[f"CARGO_TARGET_{name.upper()}_LINKER"] = MINGW
            self.env["LIBNODE_PATH"] = str(no_node())
        elif is_static and not target.is_macos:
            self.env[f"CARGO_TARGET_{name.upper()}_LINKER"] = str(Path(__file__).with_name("fold.py"))
            self.env["EXTLINE_FOLD"] = f"CC_{name}"
        if target.is_macos:
            self.env["MACOSX_DEPLOYMENT_TARGET"] = MACOS[target.cpu]
            flags += MACOS_FLAGS + frameworks.flags()
        self.env["CARGO_ENCODED_RUSTFLAGS"] = "\x1f".join(flags)
        self.folder = WORK / ("target-quick" if is_quick else "target")
        self.env["CARGO_TARGET_DIR"] = str(self.folder)
        if is_quick:
            self.env.update(QUICK)

    def build(self, title, packages, *, profile="release", options=()):
        """Builds packages in one invocation, and returns the folder of what it made."""
        cargo = ["cargo", "build"] if self.target.is_windows else [self.bin / "cargo-zigbuild", "zigbuild"]
        command = [*cargo, "--locked", "--profile", profile, *self.options]
        words = [word for package in packages for word in ("--package", package)]
        run(title, [*command, "--target", self.target.zig, *words, *options], cwd=SOURCE, env=self.env)
        return self.folder / self.target.triple / ("debug" if profile == "dev" else profile)


def no_node():
    """The folder of an empty library of Node's for Windows: what is used of Node is looked up where it runs."""
    folder = TOOLS / "no-node"
    if not (folder / "libnode.a").is_file():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "empty.c").write_text("")
        # It is looked for by this name, and linked by the other.
        run("an empty library", [MINGW, "-shared", "-o", folder / "libnode.dll", folder / "empty.c"], quiet=True)
        (folder / "libnode.a").write_bytes(b"!<arch>\n")
    return folder


# To try the way of packages and not their speed.
QUICK = {
    "CARGO_PROFILE_RELEASE_LTO": "off",
    "CARGO_PROFILE_RELEASE_CODEGEN_UNITS": "16",
    "CARGO_PROFILE_RELEASE_OPT_LEVEL": "0",
    "CARGO_PROFILE_COMMAND_OPT_LEVEL": "0",
}


def environment(programs):
    """What every build gets: the tools first on the path, and nothing that makes its bytes differ."""
    dropped = ("RUSTFLAGS", "RUSTC", "CARGO_BUILD_TARGET", "RUSTC_WRAPPER", "PYTHONPATH", "CARGO_TARGET_DIR")
    env = {name: value for name, value in os.environ.items() if name not in dropped}
    env.update(
        PATH=f"{programs}{os.pathsep}{env['PATH']}",
        SOURCE_DATE_EPOCH=str(epoch()),
        CARGO_INCREMENTAL="0",
        ZIG_GLOBAL_CACHE_DIR=str(TOOLS / "cache/zig"),
        CARGO_ZIGBUILD_CACHE_DIR=str(TOOLS / "cache/zigbuild"),
        LC_ALL="C",
        TZ="UTC",
        PYTHONHASHSEED="0",
    )
    return env


@functools.cache
def _remapped():
    cargo_home = Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo")
    run("cargo fetch", ["cargo", "fetch", "--locked"], cwd=SOURCE, quiet=True)
    crates = sorted((cargo_home / "registry/src").glob("*"))
    folders = {SOURCE: "/extline", WORK: "/build", DEBIAN / "usr/src": "/rust", **dict.fromkeys(crates, "/crates")}
    # The last that fits is taken, so the folder around others comes before them.
    return [f"--remap-path-prefix={folder}={folders[folder]}" for folder in sorted(folders, key=str)]


def remapped():
    """The flags that keep this machine's folders out of what is built."""
    return list(_remapped())


def available(target):
    """Why a target cannot be built for here, or nothing."""
    if target.is_windows and not on_path(MINGW):
        return f"{MINGW} is missing: apt-get install gcc-mingw-w64-x86-64"
    try:
        tools()
        has_std(target.triple) or debian_rustc()
    except (Missing, FileNotFoundError, subprocess.SubprocessError) as reason:
        return str(reason).replace("TARGET", target.triple)
    return ""
