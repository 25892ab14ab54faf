"""Each package, installed as its readers install it, and used: one function for each language."""

import shutil
import sys
import tarfile
from pathlib import Path

from commands import DIST, WORK, Failure, output, say
from registry import serving
from rooms import PLACE, Room, Timed, nodes, pythons, use
from source import version

COMPILER = ("cc", "as", "ld", "ar", "make", "sh", "pkg-config", "tar", "gzip", "uname")


def found(*pattern):
    """The files of dist that match, or a failure that says how to make them."""
    files = [file for it in pattern for file in sorted(DIST.glob(it))]
    if not files:
        raise LookupError(f"there is no {' or '.join(f'dist/{it}' for it in pattern)}; make dist makes it")
    return files


def here(suffix):
    """The target of this machine, with one libc or the other."""
    machine = output(["uname", "-m"])
    if output(["uname"]) == "Darwin":
        return f"{'aarch64' if machine == 'arm64' else machine}-apple-darwin"
    return f"{machine}-unknown-linux-{suffix}"


def python():
    """With nothing but Python: both packages from PyPI's files, in every Python there is."""
    found("python/extline_cli-*.whl")
    found("python/extline-*.whl")
    for name, interpreter in pythons().items():
        room = Room(f"Python {name}".replace(" ", "-"), {"python3": interpreter})
        room.env["PIP_FIND_LINKS"] = f"{DIST / 'python'} {room.env.get('PIP_FIND_LINKS', '')}"
        room.env["PIP_ONLY_BINARY"] = "extline,extline-cli"
        room.env["PIP_NO_CACHE_DIR"] = "1"
        timed = Timed(room)
        timed("python3", "-m", "venv", "tools")
        timed("tools/bin/pip", "install", "--quiet", f"extline-cli=={version()}", cwd=room.work)
        timed("tools/bin/extline", "new", "hello", "--lang", "python")
        timed("python3", "-m", "venv", "hello/.venv")
        timed("hello/.venv/bin/pip", "install", "--quiet", "extline", "pytest")
        timed.tell()
        mcp = [".venv/bin/python", "extension.py", "--mcp"]
        use(room, ["tools/bin/extline"], "hello", [room.work / "hello" / mcp[0], *mcp[1:]])
        installed = room.work / "hello/.venv/bin/python"
        room.run(installed, "-m", "pytest", "-q", cwd=room.work / "hello")
        room.env["EXTLINE_STDIO"] = "leave"
        room.expect("{'a': 1}\n", installed, "-c", "from extline.model import repair; print(repair('{a: 1,}').value)")


def node():
    """With nothing but Node: the packages from a registry that has them, for JavaScript and TypeScript."""
    found("npm/extline-cli-[0-9]*.tgz")
    found("npm/extline-[0-9]*.tgz")
    npm = shutil.which("npm")
    cli = output(["node", "-p", "require('fs').realpathSync(process.argv[1])", npm])
    with serving() as registry:
        for name, program in nodes().items():
            room = Room(f"Node-{name}", {"node": program, "sh": shutil.which("sh")})
            room.script("npm", f'exec node "{cli}" "$@"')
            room.script("npx", f'exec node "{cli.replace("npm-cli", "npx-cli")}" "$@"')
            room.env |= {"npm_config_registry": registry, "npm_config_update_notifier": "false"}
            extline = ["npx", "--yes", "extline-cli"]
            for language in ("javascript", "typescript"):
                timed = Timed(room)
                timed(*extline, "new", language, "--lang", language)
                timed("npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", language)
                timed(*extline, "call", language, "greet", '{"who":"you"}')
                timed.tell()
                words = ["--import", "tsx", "extension.ts"] if language == "typescript" else ["extension.js"]
                use(room, extline, language, ["node", *words, "--mcp"])
                room.run("npm", "test", "--silent", cwd=room.work / language)
                mend = "import { repair } from 'extline/model'; console.log(repair('{a: 1,}').json)"
                folder = room.work / language
                room.expect('{"a":1}\n', "node", "--input-type=module", "--eval", mend, cwd=folder)


def c():
    """With a compiler, make and pkg-config: the archive of the library, and that of the command."""
    [library] = found(f"c/libextline-*-{here('gnu')}.tar.gz")
    programs = {name: shutil.which(name) for name in COMPILER}
    missing = [name for name, where in programs.items() if where is None]
    if missing:
        raise LookupError(f"the path has no {', '.join(missing)}")
    room = Room("C", programs)
    extline = [unpacked_command()]
    timed = Timed(room)
    prefix = room.home / ".local"
    prefix.mkdir()
    timed("tar", "xzf", library, "--strip-components=1", "-C", prefix)
    timed(*extline, "new", "hello", "--lang", "c")
    timed("make", "-C", "hello")
    timed.tell()
    use(room, extline, "hello", [room.work / "hello/extension", "--mcp"])
    room.script("extline", f'exec "{extline[0]}" "$@"')
    room.run("make", "-C", "hello", "test")


def debian():
    """The Debian packages, unpacked as dpkg does it; linked to as a system's library."""
    machine = {"x86_64": "amd64", "aarch64": "arm64"}.get(output(["uname", "-m"]))
    archives = found(f"c/*_{machine}.deb")
    room = Room("Debian", {name: shutil.which(name) for name in (*COMPILER, "dpkg-deb")})
    for archive in archives:
        room.run("dpkg-deb", "-x", archive, room.folder / "root")
    [lib] = (room.folder / "root/usr/lib").glob("*-linux-gnu")
    # As an installation has it, in another root.
    room.env |= {"PKG_CONFIG_PATH": str(lib / "pkgconfig"), "PKG_CONFIG_SYSROOT_DIR": str(room.folder / "root")}
    room.env["LD_LIBRARY_PATH"] = str(lib)
    extline = [unpacked_command()]
    room.run(*extline, "new", "hello", "--lang", "c")
    room.run("make", "-C", "hello")
    use(room, extline, "hello", [room.work / "hello/extension", "--mcp"])


def shell():
    """With sh alone, and the command from its archive."""
    room = Room("sh", {name: shutil.which(name) for name in ("sh", "sed", "grep", "cat", "tr", "dirname")})
    timed = Timed(room)
    extline = [unpacked_command()]
    timed(*extline, "new", "hello", "--lang", "sh")
    timed.tell()
    # It finds members by their text, as its README says, so one that stands in the arguments misleads it.
    use(room, extline, "hello", [], skipped=["E-JSN-28"])


def rust():
    """With cargo and a linker: the crates as they are packed, in place of those of crates.io."""
    crates = found("crates/*.crate")
    programs = {name: shutil.which(name) for name in ("cargo", "rustc", *COMPILER)}
    room = Room("Rust", {name: where for name, where in programs.items() if where})
    patches = []
    for crate in crates:
        with tarfile.open(crate) as packed:
            packed.extractall(room.folder / "crates", **({"filter": "data"} if sys.version_info >= (3, 12) else {}))
        folder = room.folder / "crates" / crate.stem
        patches.append(f'{crate.stem.rsplit("-", 1)[0]} = {{ path = "{folder}" }}\n')
    for name in ("RUSTUP_HOME", "CARGO_HOME"):
        home = {"RUSTUP_HOME": ".rustup", "CARGO_HOME": ".cargo"}[name]
        room.env[name] = str(Path.home() / home)
    (room.work / ".cargo").mkdir()
    (room.work / ".cargo/config.toml").write_text(f"[patch.crates-io]\n{''.join(patches)}")
    room.env["CARGO_TARGET_DIR"] = str(WORK / "target-crates")
    extline = [unpacked_command()]
    timed = Timed(room)
    timed(*extline, "new", "hello", "--lang", "rust")
    timed("cargo", "build", "--quiet", "--manifest-path", "hello/Cargo.toml")
    timed.tell()
    (room.work / "hello/target").symlink_to(WORK / "target-crates")
    use(room, extline, "hello", [room.work / "hello/target/debug/hello", "--mcp"])


def unpacked_command(target=""):
    """The program of an archive of the command."""
    target = target or here("musl")
    [archive] = found(f"command/extline-*-{target}.tar.gz")
    folder = PLACE / "command"
    with tarfile.open(archive) as packed:
        packed.extractall(folder, **({"filter": "data"} if sys.version_info >= (3, 12) else {}))
    name = archive.name.removesuffix(".tar.gz")
    for path in ("share/man/man1/extline.1", "share/bash-completion/completions/extline"):
        if not (folder / name / path).is_file():
            raise Failure(f"{archive.name} has no {path}")
    return folder / name / "bin/extline"


def told(title, of):
    """Runs one of them; what is not there to be used is skipped in one line."""
    say(title)
    try:
        of()
    except LookupError as reason:
        say(f"  skipped: {reason}")
        return False
    return True
