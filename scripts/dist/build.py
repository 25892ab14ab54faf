#!/usr/bin/env python3
"""Makes the packages of a release in dist/, from the last commit: `make dist`.

    make dist                                              all
    make dist TARGETS="x86_64-unknown-linux-musl"          for some platforms
    make dist PARTS="python npm"                           some packages

A platform whose toolchain is not to be had is skipped in one line. Two runs on one commit give the same
bytes. What is there from before stays, so that parts can be made one by one; `rm -r dist` begins anew.
"""

import argparse
import os

import c_library
import command_archive
import npm
import sums
import wheels
from commands import DIST, Failure, main_of, say
from native import SHORT, Native
from source import export, version
from targets import TARGETS, chosen
from toolchain import available

PARTS = ("python", "npm", "command", "c", "crates", "sbom")


def main():
    options = arguments()
    say(f"extline {version()}: packages from the last commit")
    export()
    targets = []
    for target in chosen(options.targets):
        reason = available(target)
        if reason:
            say(f"  skipped: {target.triple}, {reason}")
        else:
            targets.append(target)
    Parts(options.parts, targets, is_quick=options.quick).make()
    DIST.mkdir(exist_ok=True)
    sums.checksums()
    if SHORT:
        raise Failure("\n".join(["all packages are made, and these are too large:", *SHORT]))
    return 0


class Parts:
    """The packages that are asked for, for the targets that can be built for."""

    def __init__(self, parts, targets, *, is_quick):
        self.parts = parts
        self.targets = targets
        self.is_quick = is_quick
        self.modules = {}
        self.programs = {}

    def make(self):
        for target in self.targets:
            say(f"{target.triple}")
            self.for_target(target)
        # npm's main packages are made once, and the man pages are the same for all.
        if self.modules:
            npm.packages(self.modules)
        if self.programs:
            pages = command_archive.pages(self.programs.values())
            for target, program in self.programs.items():
                command_archive.archive(target, program, pages)
                wheels.command_wheel(target, program)
            npm.command_packages(self.programs)
        if "python" in self.parts:
            wheels.sdist()
        if "crates" in self.parts:
            sums.crates()
        if "sbom" in self.parts:
            sums.sbom()

    def for_target(self, target):
        native = Native(target, is_quick=self.is_quick)
        has_c = "c" in self.parts and not target.is_musl
        if "npm" in self.parts:
            self.modules |= native.node(with_c=has_c)
        if has_c:
            libraries = native.c()
            c_library.archive(target, libraries)
            if target.debian:
                c_library.debian(target, libraries)
        if "command" in self.parts and target.cli_npm:
            self.programs[target] = native.command()
        if "python" in self.parts:
            self.python(target)

    def python(self, target):
        if not target.is_macos:
            wheels.wheel([target], is_quick=self.is_quick)
            return
        both = [it for it in self.targets if it.is_macos]
        if len(both) < 2:
            say("  skipped: the wheel for macOS, which is of both its targets")
        elif target == both[-1]:
            wheels.wheel(both, is_quick=self.is_quick)


def arguments():
    words = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    of = os.environ
    listed = ", ".join(target.triple for target in TARGETS)
    words.add_argument("--targets", default=of.get("TARGETS", ""), metavar="'T ...'", help=f"of {listed}")
    words.add_argument("--parts", default=of.get("PARTS", ""), metavar="'P ...'", help=f"of {', '.join(PARTS)}")
    words.add_argument(
        "--quick",
        action="store_true",
        default=of.get("QUICK", "") not in ("", "no"),
        help="without optimization, to try the way: larger, slower, not to be published (QUICK=yes)",
    )
    options = words.parse_args()
    options.targets = options.targets.split()
    options.parts = options.parts.split() or list(PARTS)
    for part in options.parts:
        if part not in PARTS:
            raise Failure(f"there is no part {part}; the parts are {', '.join(PARTS)}")
    return options


if __name__ == "__main__":
    main_of(main)
