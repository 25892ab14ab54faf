"""The packages for aarch64 on a machine that is another, under qemu's user mode: the command here, each extension there."""

import json
import os
import shutil
import sys
import tarfile
import zipfile

from commands import DIST, TOOLS, Failure, output, run, say
from rooms import Room, node, use
from targets import GLIBC
from toolchain import Missing, tools, unpack
from use_packages import found, here, unpacked_command
from source import version

# Debian's programs for aarch64, which are unpacked beside those of this machine.
LIBRARIES = ("libc6", "libgcc-s1", "libstdc++6", "zlib1g", "libexpat1", "libffi8", "libssl3", "libuuid1", "libbz2-1.0", "liblzma5")
PYTHON = ("python3.11-minimal", "libpython3.11-minimal", "libpython3.11-stdlib")


def aarch64():
    """Everything for aarch64 that Linux has: the command, the wheels, the module of Node, the C library."""
    if os.uname().machine != "x86_64":
        raise LookupError("this machine emulates no aarch64")
    qemu, root = emulator()
    parts = (command, python, node_package, c)
    skipped = 0
    for use_one in parts:
        try:
            use_one(qemu, root)
        except LookupError as reason:
            skipped += 1
            say(f"  skipped: {reason}")
    if skipped == len(parts):
        raise LookupError("there is nothing for aarch64 in dist/; make dist makes it")


def emulator():
    """qemu, and a folder with the libraries of a Debian for aarch64."""
    qemu = shutil.which("qemu-aarch64-static") or shutil.which("qemu-aarch64")
    try:
        if qemu is None:
            qemu = TOOLS / "qemu/usr/bin/qemu-aarch64-static"
            if not qemu.is_file():
                unpack(["qemu-user-static"], TOOLS / "qemu")
        root = TOOLS / "aarch64"
        if not (root / "usr/bin/python3.11").is_file():
            state = TOOLS / "apt-arm64"
            (state / "lists/partial").mkdir(parents=True, exist_ok=True)
            options = ["-o", "APT::Architecture=arm64", "-o", "APT::Architectures=arm64"]
            options += ["-o", f"Dir::State::Lists={state}/lists", "-o", f"Dir::Cache={state}/cache"]
            run("apt-get update for arm64", ["apt-get", *options, "update"])
            unpack([*LIBRARIES, *PYTHON], root, options)
            # Where the loader looks, as the links of a whole system say it.
            if not (root / "lib").exists():
                (root / "lib").symlink_to("usr/lib")
    except (Missing, Failure) as reason:
        raise LookupError(f"aarch64 cannot be run here: {str(reason).splitlines()[0]}") from reason
    return qemu, root


def room_for(name):
    """A room whose command is this machine's, and whose extensions run under qemu."""
    return Room(f"aarch64-{name}", {"sh": shutil.which("sh")})


def started(qemu, root, program):
    """How a script starts a program of that system. The host passes no variable of qemu's on."""
    return f'exec "{qemu}" -L "{root}" "{program}" "$@"'


def command(qemu, _root):
    """The program for aarch64, started by qemu."""
    program = unpacked_command("aarch64-unknown-linux-musl")
    room = Room("aarch64-command", {name: shutil.which(name) for name in ("sh", "sed", "grep", "cat", "tr", "dirname")})
    room.expect(f"extline {version()}\n", qemu, program, "--version")
    room.run(qemu, program, "new", "hello", "--lang", "sh")
    room.expect("Hello, you!\n", qemu, program, "call", "hello", "greet", '{"who":"you"}')
    say("  the command: new, call")


def python(qemu, root):
    """The wheel for glibc with what it depends on, in Debian's Python."""
    extline = unpacked_command()
    room = room_for("Python")
    packages = room.folder / "packages"
    pip = [tools() / "pip", "install", "--quiet", "--disable-pip-version-check", "--target", packages]
    platform = ["--platform", f"manylinux_{GLIBC.replace('.', '_')}_aarch64", "--platform", "manylinux2014_aarch64"]
    options = ["--only-binary=:all:", "--python-version", "3.11", "--find-links", DIST / "python", f"extline=={version()}"]
    found("python/extline-*manylinux*aarch64.whl")
    run("pip install for aarch64", [*pip, *platform, *options])
    room.script("python3", f'PYTHONPATH="{packages}" {started(qemu, root, root / "usr/bin/python3.11")}')
    extension(room, extline, "python", ["python3", "extension.py"])
    say("  Python: call, MCP, conformance")


def node_package(qemu, root):
    """The module of Node for glibc, in a Node for aarch64."""
    extline = unpacked_command()
    [main] = found("npm/extline-[0-9]*.tgz")
    [native] = found("npm/extline-linux-arm64-gnu-*.tgz")
    room = room_for("Node")
    room.script("node", started(qemu, root, node("24", "arm64")))
    folder = extension(room, extline, "javascript", ["node", "extension.js"], then=lambda folder: _unpack(folder, main, native))
    say(f"  Node: call, MCP, conformance in {folder}")


def _unpack(folder, *archives):
    for archive in archives:
        name = archive.name.rsplit("-", 1)[0]
        with tarfile.open(archive) as packed:
            packed.extractall(folder / "node_modules", **({"filter": "data"} if sys.version_info >= (3, 12) else {}))
        (folder / "node_modules/package").rename(folder / "node_modules" / name)


def c(qemu, root):
    """The C library, linked by zig for the oldest glibc that it promises."""
    extline = unpacked_command()
    [archive] = found("c/libextline-*-aarch64-unknown-linux-gnu.tar.gz")
    room = room_for("C")
    with tarfile.open(archive) as packed:
        packed.extractall(room.folder, **({"filter": "data"} if sys.version_info >= (3, 12) else {}))
    library = room.folder / archive.name.removesuffix(".tar.gz")

    def build(folder):
        target = ["-target", f"aarch64-linux-gnu.{GLIBC}"]
        link = [f"-I{library}/include", f"-L{library}/lib", f"-Wl,-rpath,{library}/lib", "-lextline"]
        made = ["-o", folder / "extension.there"]
        run("zig cc for aarch64", [tools() / "python", "-m", "ziglang", "cc", *target, folder / "extension.c", *link, *made])

    room.script("there", started(qemu, root, "./extension.there"))
    extension(room, extline, "c", ["there"], then=build)
    say("  C: call, MCP, conformance")


def extension(room, extline, language, words, then=None):
    """An extension of `extline new` whose manifest names a program that qemu starts; used like any other."""
    room.run(extline, "new", "hello", "--lang", language)
    folder = room.work / "hello"
    if then:
        then(folder)
    manifest = json.loads((folder / "extension.json").read_text())
    manifest.update(exec=str(room.bin / words[0]), args=words[1:])
    (folder / "extension.json").write_text(json.dumps(manifest))
    use(room, [extline], "hello", [room.bin / words[0], *words[1:], "--mcp"])
    return folder


def musl():
    """The wheel and the module of Node for musl: no interpreter for it is to be had, so what they ask for is read."""
    lief = _lief()
    for archive in found("python/extline-*musllinux*.whl"):
        with zipfile.ZipFile(archive) as packed:
            for name in packed.namelist():
                if name.endswith(".so"):
                    _asks_for_nothing_of_glibc(lief.parse(list(packed.read(name))), f"{archive.name}: {name}")
    for archive in found("npm/extline-linux-*-musl-*.tgz"):
        with tarfile.open(archive) as packed:
            for member in packed:
                if member.name.endswith(".node"):
                    binary = lief.parse(list(packed.extractfile(member).read()))
                    _asks_for_nothing_of_glibc(binary, f"{archive.name}: {member.name}")
    say(f"  read: what they load; nothing was run, {here('musl')} has no interpreter here")


def _asks_for_nothing_of_glibc(binary, name):
    for needed in binary.libraries:
        if not needed.startswith(("libc.so", "libc.musl-", "libgcc_s.so.1")) or needed == "libc.so.6":
            raise Failure(f"{name} loads {needed}, which a system with musl does not have")


def _lief():
    output([tools() / "python", "-c", "import lief"])
    sys.path.insert(0, str(next((tools().parent / "lib").glob("python3*/site-packages"))))
    import lief

    return lief
