#!/usr/bin/env python3
"""The tools that checks use and that no lock file holds: one version of each, and how it is installed.

    scripts/tools.py install mdbook actionlint    puts them into target/tools
    scripts/tools.py list                         says which are there

What is installed here is found by every script that asks `where`, before PATH is looked at. A tool of the
operating system is installed with the package manager that is there.
"""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TOOLS = ROOT / "target/tools"
# The programs alone: an environment of Python stands beside it, and its `python3` is nobody's but theirs.
PROGRAMS = TOOLS / "bin"


@dataclass(frozen=True)
class Pinned:
    """A tool of a registry, by its version, or of the operating system, by the names of its packages."""

    kind: str
    package: str
    version: str = ""
    options: tuple = ()
    brew: str = ""

    def how(self):
        """What somebody types who installs it by hand."""
        if self.kind == "system":
            return f"apt-get install {self.package}" + (f", or brew install {self.brew}" if self.brew else "")
        return f"make tools TOOLS={next(name for name, tool in PINNED.items() if tool is self)}"

    def commands(self):
        if self.kind == "cargo":
            words = ["cargo", "install", "--locked", f"{self.package}@{self.version}", *self.options]
            return [[*words, "--root", str(TOOLS)]]
        if self.kind == "go":
            return [["go", "install", f"{self.package}@v{self.version}"]]
        if self.kind == "pip":
            python = TOOLS / "python"
            install = [str(python / "bin/pip"), "install", "--quiet", "--disable-pip-version-check"]
            link = ["ln", "-sf", f"../python/bin/{self.package}", str(PROGRAMS / self.package)]
            return [["python3", "-m", "venv", str(python)], [*install, f"{self.package}=={self.version}"], link]
        if self.kind == "toolchain":
            return [["rustup", "toolchain", "install", self.package, "--profile", "minimal"]]
        if self.kind == "targets":
            return [["rustup", "target", "add", *self.package.split()]]
        return [self.system_command()]

    def system_command(self):
        if shutil.which("apt-get"):
            as_root = [] if os.geteuid() == 0 else ["sudo"]
            return [*as_root, "apt-get", "install", "--yes", "--no-install-recommends", *self.package.split()]
        if shutil.which("brew") and self.brew:
            return ["brew", "install", *self.brew.split()]
        sys.exit(f"no package manager that this script knows; {self.how()}")


TARGETS = [
    *["aarch64-unknown-linux-gnu", "x86_64-unknown-linux-musl", "aarch64-unknown-linux-musl"],
    *["aarch64-apple-darwin", "x86_64-apple-darwin"],
    "x86_64-pc-windows-gnu",
]
# Without what serves and watches a book: building is all that is asked of it.
PINNED = {
    "mdbook": Pinned("cargo", "mdbook", "0.5.4", ("--no-default-features", "--features", "search")),
    "cargo-semver-checks": Pinned("cargo", "cargo-semver-checks", "0.51.0"),
    "cargo-deny": Pinned("cargo", "cargo-deny", "0.20.2"),
    "cargo-fuzz": Pinned("cargo", "cargo-fuzz", "0.13.2"),
    "actionlint": Pinned("go", "github.com/rhysd/actionlint/cmd/actionlint", "1.7.12"),
    "zot": Pinned("go", "github.com/patriceckhart/zot/cmd/zot", "0.1.62"),
    "abi3audit": Pinned("pip", "abi3audit", "0.0.26"),
    "nightly": Pinned("toolchain", "nightly"),
    # What `make dist` builds for; without them it takes another compiler where there is one.
    "targets": Pinned("targets", " ".join(TARGETS)),
    "abidiff": Pinned("system", "abigail-tools"),
    "qemu-aarch64": Pinned("system", "qemu-user"),
    "x86_64-w64-mingw32-gcc": Pinned("system", "gcc-mingw-w64-x86-64", brew="mingw-w64"),
    "wine64": Pinned("system", "wine64"),
    "valgrind": Pinned("system", "valgrind"),
    "tmux": Pinned("system", "tmux", brew="tmux"),
    "shellcheck": Pinned("system", "shellcheck", brew="shellcheck"),
    "pkg-config": Pinned("system", "pkg-config", brew="pkgconf"),
}


def where(name):
    """The program, or None: the one installed here before the one on PATH."""
    ours = PROGRAMS / name
    return str(ours) if os.access(ours, os.X_OK) else shutil.which(name)


def how(name):
    return PINNED[name].how()


def put_on_path():
    """For what is started by name."""
    os.environ["PATH"] = f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}"


def install(names):
    unknown = [name for name in names if name not in PINNED]
    if unknown or not names:
        sys.exit(f"which tools? {' '.join(PINNED)}" + (f"; there is no {' '.join(unknown)}" if unknown else ""))
    PROGRAMS.mkdir(parents=True, exist_ok=True)
    environment = os.environ | {"GOBIN": str(PROGRAMS)}
    for name in names:
        tool = PINNED[name]
        # A tool of the system that is there is as good as a new one.
        if tool.kind == "system" and shutil.which(name):
            continue
        for command in tool.commands():
            print("+", *command, flush=True)
            # In this folder rust-toolchain.toml counts.
            subprocess.run(command, check=True, env=environment, cwd=ROOT)


def show():
    for name, tool in PINNED.items():
        # What rustup brings is no program.
        place = "see `rustup show`" if tool.kind in ("toolchain", "targets") else where(name)
        print(f"{name:20} {tool.version:8} {place or 'absent: ' + tool.how()}")


def main():
    words = sys.argv[1:]
    if words[:1] == ["install"]:
        install(words[1:])
    elif words == ["list"]:
        show()
    else:
        sys.exit(__doc__.strip())


if __name__ == "__main__":
    main()
