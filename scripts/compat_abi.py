"""libextline's ABI, as C programs have it: a dump of it is kept in sdk-c/abi, one for each ABI number.

What a debugger knows of the library itself is Rust's: the insides of types that are opaque for C, which may
change at will. So the dump is of a small library in C that has, for each function of extline.h, a variable of
its type, and for all constants an enumeration. It is linked with libextline, so that each function is there.
"""

import re
import shlex
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEADER = ROOT / "sdk-c/include/extline.h"
DUMPS = ROOT / "sdk-c/abi"
# What may change in a PATCH release, and how that is known.
ALLOWED = DUMPS / "allowed.abignore"


def check(target, work):
    kept = kept_dump()
    new = dump(target, work)
    if not kept.exists():
        print(f"there is no {kept.relative_to(ROOT)}: a release with a new ABI number brings one")
        return False
    command = ["abidiff", "--no-added-syms", "--suppressions", str(ALLOWED), str(kept), str(new)]
    print("+", shlex.join(command), flush=True)
    if subprocess.run(command).returncode:
        print(
            "A program that was linked with the release before may not work with this library. A PATCH release may\n"
            "not do that. For a MINOR release, and before the first one: scripts/compat.py abi --write, and a line\n"
            "in CHANGELOG.md."
        )
        return False
    print(f"the ABI is that of {kept.relative_to(ROOT)}")
    return True


def write(target, work):
    if not shutil.which("abidw"):
        return "abidw is not there: apt-get install abigail-tools"
    kept = kept_dump()
    kept.parent.mkdir(exist_ok=True)
    shutil.copy(dump(target, work), kept)
    print(f"{kept.relative_to(ROOT)} is written")
    return 0


def kept_dump():
    """Its number is that in the SONAME: 0.MINOR before 1.0, then MAJOR."""
    major, minor = (re.search(rf"#define EXTLINE_VERSION_{part} (\d+)", HEADER.read_text())[1] for part in ("MAJOR", "MINOR"))
    number = f"0.{minor}" if major == "0" else major
    return DUMPS / f"libextline.so.{number}.abi"


def dump(target, work):
    source, library, made = (work / f"extline-abi.{ending}" for ending in ("c", "so", "abi"))
    source.write_text(program(HEADER.read_text()))
    libextline = str(target / "debug/libextline.so")
    cc = ["cc", "-std=c11", "-g", "-O0", "-fPIC", "-shared", "-Wl,--no-undefined", f"-I{HEADER.parent}"]
    subprocess.run([*cc, "-o", str(library), str(source), libextline], check=True)
    places = ["--no-corpus-path", "--no-comp-dir-path", "--no-show-locs"]
    # Without what differs from machine to machine: the C library it was linked with.
    subprocess.run(["abidw", *places, "--no-elf-needed", "--out-file", str(made), str(library)], check=True)
    return made


def program(header):
    code = re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL)
    functions = sorted(set(re.findall(r"\b(extline_[a-z0-9_]+)\(", code)) - type_names(code))
    constants = re.findall(r"^#define (EXTLINE_[A-Z0-9_]+) \(?-?\d+\)?$", code, flags=re.MULTILINE)
    constants = [name for name in constants if not name.startswith("EXTLINE_VERSION")]
    lines = ["#include <extline.h>", "enum extline_constants {"]
    lines += [f"    of_{name} = {name}," for name in constants]
    lines += ["};", "enum extline_constants extline_constants;"]
    lines += [f"__typeof__({name}) *of_{name} = {name};" for name in functions]
    return "\n".join(lines) + "\n"


def type_names(code):
    return set(re.findall(r"\(\*(extline_[a-z0-9_]+)\)", code))
