"""What is made for Windows, used under wine: the command from its archive, and an extension with each package."""

import json
import shutil
import sys
import tarfile
import zipfile
from pathlib import Path

import use_packages
from commands import DIST, ROOT, Failure, output, run, say
from registry import serving
from rooms import PLACE
from source import version
from targets import WINDOWS
from toolchain import MINGW, tools

sys.path.insert(0, str(ROOT / "scripts"))

from test_windows import FOLDER, Wine, missing  # noqa: E402
from windows_host import Command  # noqa: E402
from windows_node import Node, Unavailable  # noqa: E402
from windows_python import Python  # noqa: E402

# A case that wine is too slow for, where the interpreter is Node.
SLOW = Node.left_out


def check():
    """Each package that can be used here; what is missing for one is told in a line."""
    if reason := missing():
        raise LookupError(reason)
    [archive] = use_packages.found(f"command/extline-*-{WINDOWS}.zip")
    folder = PLACE / "windows"
    _unpack(archive, folder)
    program = folder / archive.stem / "bin/extline.exe"
    wine = Wine()
    wine.prepare()
    try:
        command = Command(wine.program, program, wine.env, folder / "work")
        command.folder.mkdir(parents=True)
        if command.run("--version").strip() != f"extline {version()}":
            raise Failure(f"{archive.name} has another command than that of {version()}")
        say("  the command from its archive")
        for what, use in (("C", _c), ("Python", _python), ("Node", _node), ("command", _carried)):
            try:
                use(command)
            except (Unavailable, LookupError) as reason:
                say(f"  skipped: {what}; {reason}")
    finally:
        wine.end()


def _unpack(archive, folder):
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(folder)


def _used(command, language, folder, skipped=()):
    """An extension of `extline new` is called and held to the protocol."""
    said = command.run("call", folder, "greet", '{"who":"you"}')
    if said != "Hello, you!\n":
        raise Failure(f"the extension in {language} answered {said!r}")
    left_out = [word for case in skipped for word in ("--skip", case)]
    command.run("conformance", *left_out, folder)
    say(f"  an extension in {language}")


def _new(command, language):
    command.run("new", language, "--lang", language, cwd=command.folder)
    return command.folder / language


def _with(command, program):
    """The command where it finds the program of a language."""
    found = Command(command.wine, command.program, command.env, command.folder / "none")
    found.folder = command.folder
    found.env = {**command.env, "WINEPATH": str(Path(program).parent)}
    return found


def _c(command):
    """The library from its archive, linked by mingw as it is, by its static form, and by CMake where that is there."""
    [archive] = use_packages.found(f"c/libextline-*-{WINDOWS}.zip")
    _unpack(archive, command.folder)
    root = command.folder / archive.stem
    folder = _new(command, "c")
    manifest = json.loads((folder / "extension.json").read_text())
    program = (folder / manifest["exec"]).with_suffix(".exe")
    sources = sorted(folder.glob("*.c"))
    words = [MINGW, "-std=c99", f"-I{root / 'include'}", "-o", program, *sources]
    run("an extension in C, linked statically", [*words, root / "lib/libextline.a", *_system_libraries(root)], quiet=True)
    _used(command, "C, linked statically", folder)
    run("an extension in C", [*words, f"-L{root / 'lib'}", "-lextline"], quiet=True)
    shutil.copy(root / "bin/extline.dll", program.parent)
    _used(command, "C", folder)
    program.unlink()
    if cmake := shutil.which("cmake"):
        _by_cmake(cmake, root, sources, program)
        _used(command, "C, by CMake", folder)
    # MSVC's own linker is not here; LLVM's reads the same files.
    library = root / "lib/extline.lib"
    listed = output([tools() / "python", "-m", "ziglang", "ar", "t", library])
    if "extline.dll" not in listed:
        raise Failure(f"{library.name} does not lead to extline.dll: {listed}")


def _system_libraries(root):
    """What the static library needs of the system, as pkg-config says it."""
    said = (root / "lib/pkgconfig/extline.pc").read_text()
    [line] = [line for line in said.splitlines() if line.startswith("Libs.private:")]
    return line.split()[1:]


def _by_cmake(cmake, root, sources, program):
    place = root.parent / "cmake"
    place.mkdir()
    listed = " ".join(f'"{source}"' for source in sources)
    (place / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.13)\nproject(extension C)\nfind_package(extline REQUIRED)\n"
        f"add_executable({program.stem} {listed})\ntarget_link_libraries({program.stem} extline::extline)\n"
    )
    options = ["-DCMAKE_SYSTEM_NAME=Windows", f"-DCMAKE_C_COMPILER={MINGW}", f"-Dextline_DIR={root / 'lib/cmake/extline'}"]
    run("cmake", [cmake, "-S", place, "-B", place / "built", *options], quiet=True)
    run("cmake --build", [cmake, "--build", place / "built"], quiet=True)
    shutil.copy(place / "built" / program.name, program)


def _python(command):
    """The wheel, laid where Python for Windows finds it, as pip does it for another system."""
    use_packages.found("python/extline-*-win_amd64.whl")
    python = Python(FOLDER / "python")
    python.fetch(MINGW)
    folder = _new(command, "python")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", folder]
    of = ["--platform", "win_amd64", "--python-version", "3.11", "--only-binary=:all:", "--find-links", DIST / "python"]
    run("pip for Windows", [*pip, *of, f"extline=={version()}"], quiet=True)
    manifest = json.loads((folder / "extension.json").read_text())
    # The package of Maven makes no environments.
    (folder / "extension.json").write_text(json.dumps({**manifest, "exec": "python"}))
    _used(_with(command, python.program), "Python", folder)


def _node(command):
    """The packages of npm, as npm lays them out for another system."""
    use_packages.found("npm/extline-win32-x64-msvc-*.tgz")
    node = Node(FOLDER / "node")
    node.fetch()
    node.allow(command.wine, command.env)
    with serving() as registry:
        folder = _new(command, "javascript")
        options = ["--os=win32", "--cpu=x64", "--registry", registry, "--silent", "--no-audit", "--no-fund"]
        run("npm for Windows", ["npm", "install", *options, "--prefix", folder], quiet=True)
    _used(_with(command, node.program), "JavaScript", folder, SLOW)


def _carried(command):
    """The same command, as pip and npm carry it."""
    [wheel] = use_packages.found("python/extline_cli-*-win_amd64.whl")
    [package] = use_packages.found("npm/extline-cli-win32-x64-*.tgz")
    with zipfile.ZipFile(wheel) as packed:
        by_pip = packed.read(f"extline_cli-{version()}.data/scripts/extline.exe")
    with tarfile.open(package) as packed:
        by_npm = packed.extractfile("package/extline.exe").read()
    if not by_pip == by_npm == command.program.read_bytes():
        raise Failure(f"{wheel.name} and {package.name} carry another command than the archive")
    say("  the command as pip and npm carry it")
