"""Packages for PyPI: `extline`, built by maturin, and `extline-cli`, which carries the command."""

import base64
import hashlib
import shutil
import zipfile

import archives
from commands import DIST, WORK, Failure, run
from native import LIBRARY
from source import SOURCE, version
from targets import GLIBC
from toolchain import Toolchain, environment, tools

PYTHON = SOURCE / "sdk-python"
# Builds the three modules; what a user's pip runs, with other arguments.
BACKEND = "import sys, build_backend; build_backend.build_wheel(sys.argv[1], {'build-args': sys.argv[2]})"


def wheel(targets, *, is_quick=False):
    """The wheel of the SDK for one target, or for both of macOS. It serves every Python from 3.10 on."""
    toolchain = Toolchain(targets[0], is_quick=is_quick)
    is_macos = targets[0].is_macos
    triple = "universal2-apple-darwin" if is_macos else targets[0].triple
    tag = f"manylinux_{GLIBC.replace('.', '_')}" if targets[0].is_gnu else "musllinux_1_2"
    words = ["--target", triple, "--locked", *toolchain.options]
    if not targets[0].is_windows:
        words += ["--zig", "--compatibility", "pypi" if is_macos else tag, "--auditwheel", "check"]
    env = toolchain.env
    if is_macos:
        # Each of the two has its own oldest system.
        env.pop("MACOSX_DEPLOYMENT_TARGET", None)
    # Those of another platform are called otherwise on Windows, and would be packed too.
    for old in (PYTHON / "python").rglob("_native*"):
        if old.suffix in (".so", ".pyd"):
            old.unlink()
    out = WORK / "wheels" / triple
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    backend = [toolchain.bin / "python", "-c", BACKEND, out, " ".join(words)]
    run(f"{triple} python", backend, cwd=PYTHON, env=env)
    [made] = out.glob("*.whl")
    with zipfile.ZipFile(made) as packed:
        files = {member.filename: packed.read(member) for member in packed.infolist()}
    for name, content in files.items():
        most = LIBRARY * 2 if is_macos else LIBRARY
        is_bound = name.removesuffix(".pyd").removesuffix(".abi3.so").endswith(("extline/_native", "extline/model/_native"))
        if is_bound and len(content) > most and not is_quick:
            raise Failure(f"{made.name}: {name} has {len(content):,} bytes, and at most {most:,} are allowed")
    place = DIST / "python" / made.name
    place.parent.mkdir(parents=True, exist_ok=True)
    # Maturin's archive, with the times and modes of all others here.
    archives.zip_file(place, dict(sorted(files.items(), key=lambda it: (".dist-info/" in it[0], it[0]))))
    return [place]


def sdist():
    """The source archive of the SDK."""
    out = WORK / "sdist"
    shutil.rmtree(out, ignore_errors=True)
    env = {**environment(tools())}
    run("python sdist", [tools() / "maturin", "sdist", "-m", PYTHON / "Cargo.toml", "-o", out], cwd=SOURCE, env=env)
    [made] = out.glob("*.tar.gz")
    place = DIST / "python" / made.name
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(made, place)
    return [place]


def command_wheel(target, program):
    """`pip install extline-cli`: a wheel whose only file is the program, put on the path by pip."""
    of = version()
    info = f"extline_cli-{of}.dist-info"
    tags = "".join(f"Tag: py3-none-{tag}\n" for tag in target.cli_wheel.split("."))
    files = {
        f"extline_cli-{of}.data/scripts/{target.program}": program,
        f"{info}/METADATA": METADATA.format(version=of).encode() + (SOURCE / "cli/README.md").read_bytes(),
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: extline\nRoot-Is-Purelib: false\n{tags}".encode(),
        f"{info}/licenses/LICENSE-APACHE": SOURCE / "LICENSE-APACHE",
        f"{info}/licenses/LICENSE-MIT": SOURCE / "LICENSE-MIT",
    }
    lines = [f"{name},{_digest(file)}\n" for name, file in files.items()]
    files[f"{info}/RECORD"] = "".join([*lines, f"{info}/RECORD,,\n"]).encode()
    place = DIST / "python" / f"extline_cli-{of}-py3-none-{target.cli_wheel}.whl"
    place.parent.mkdir(parents=True, exist_ok=True)
    archives.zip_file(place, files)
    return [place]


def _digest(file):
    content, _ = archives.content_of(file)
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"sha256={digest},{len(content)}"


METADATA = """\
Metadata-Version: 2.4
Name: extline-cli
Version: {version}
Summary: The extline command: run, call, test and inspect extensions of coding agents
License-Expression: MIT OR Apache-2.0
License-File: LICENSE-APACHE
License-File: LICENSE-MIT
Project-URL: Repository, https://github.com/extline/extline
Requires-Python: >=3.8
Description-Content-Type: text/markdown

"""
