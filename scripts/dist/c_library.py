"""libextline: an archive that can be unpacked anywhere, and Debian packages."""

import os
import re
import shutil

import archives
from commands import DIST, WORK, Failure, on_path, output, run, say
from source import SOURCE, epoch, version
from targets import GLIBC
from toolchain import tools

# Reads what a library exports. The whole is kept: what it exports is part of it.
EXPORTS = "import lief, sys; whole = lief.PE.parse(sys.argv[1]); print(*(it.name for it in whole.get_export().entries))"
# Stands for the folder that an archive is unpacked in, until it is known.
NOWHERE = "/nowhere"
DOCUMENTS = ("LICENSE-APACHE", "LICENSE-MIT")


def archive(target, libraries):
    """`libextline-VERSION-PLATFORM.tar.gz`, for Windows `.zip`: lib and include, and there bin, whose pkg-config
    and CMake files find them where they lie."""
    name = f"libextline-{version()}-{target.triple}"
    root = _install(target, libraries, NOWHERE, f"{NOWHERE}/lib", rpath="yes")
    lib = root / NOWHERE[1:] / "lib"
    for package in ("extline", "extline_model"):
        _replace(lib / f"pkgconfig/{package}.pc", NOWHERE, "${pcfiledir}/../..")
    _replace(lib / "cmake/extline/extline-config.cmake", NOWHERE, "${CMAKE_CURRENT_LIST_DIR}/../../..")
    files = _tree(root / NOWHERE[1:], name)
    files |= {f"{name}/{document}": SOURCE / document for document in DOCUMENTS}
    files[f"{name}/README.md"] = SOURCE / "sdk-c/README.md"
    place = DIST / "c" / f"{name}.{'zip' if target.is_windows else 'tar.gz'}"
    place.parent.mkdir(parents=True, exist_ok=True)
    archives.packed(place, files)
    return [place]


def debian(target, libraries):
    """`libextline0.MINOR`, what programs load, and `libextline-dev`, what they are built with."""
    if not on_path("dpkg-deb"):
        say(f"  skipped: Debian packages for {target.debian}, dpkg-deb is needed")
        return []
    multiarch = f"{target.cpu}-linux-gnu"
    root = _install(target, libraries, "/usr", f"/usr/lib/{multiarch}", rpath="no")
    lib = root / "usr/lib" / multiarch
    abi = version().rsplit(".", 1)[0]
    runtime = f"libextline{abi}"
    shared = sorted(path.name for path in lib.glob(f"libextline.so.{abi}*"))
    place = WORK / "debian" / target.debian
    shutil.rmtree(place, ignore_errors=True)
    packages = {
        runtime: ("libs", f"Depends: libc6 (>= {GLIBC})", "what programs load"),
        "libextline-dev": ("libdevel", f"Depends: {runtime} (= {version()}-1), libc6-dev", "headers and static libraries"),
    }
    for name in packages:
        (place / name / "DEBIAN").mkdir(parents=True)
    loaded = place / runtime / "usr/lib" / multiarch
    loaded.mkdir(parents=True)
    for name in shared:
        (lib / name).rename(loaded / name)
    shutil.copytree(root / "usr", place / "libextline-dev/usr", symlinks=True)
    # What the package manager runs for a shared library that is new, and when it is gone.
    (place / runtime / "DEBIAN/triggers").write_text("activate-noawait ldconfig\n")
    (place / runtime / "DEBIAN/shlibs").write_text(f"libextline {abi} {runtime} (>= {version()})\n")
    made = []
    for name, (section, depends, what) in packages.items():
        made += _debian_package(place / name, name, target, section, depends, what)
    return made


def _debian_package(root, name, target, section, depends, what):
    documents = root / "usr/share/doc" / name
    documents.mkdir(parents=True)
    licences = "\n\n".join((SOURCE / document).read_text() for document in DOCUMENTS)
    (documents / "copyright").write_text(f"extline is licensed under either of these, at your choice.\n\n{licences}")
    size = sum(-(-path.stat().st_size // 1024) for path in root.rglob("*") if path.is_file())
    (root / "DEBIAN/control").write_text(
        f"Package: {name}\nVersion: {version()}-1\nArchitecture: {target.debian}\nMulti-Arch: same\n"
        f"Maintainer: The extline authors <extline@users.noreply.github.com>\nSection: {section}\nPriority: optional\n"
        f"Installed-Size: {size}\n{depends}\nHomepage: https://github.com/extline/extline\n"
        f"Description: extensions for coding agents in C: {what}\n"
        " Tools, commands, events and guards of coding agents, written as functions.\n"
    )
    place = DIST / "c" / f"{name}_{version()}-1_{target.debian}.deb"
    place.parent.mkdir(parents=True, exist_ok=True)
    for path in [root, *root.rglob("*")]:
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() else 0o644)
        os.utime(path, (epoch(), epoch()), follow_symlinks=False)
    # One thread and one format: else the bytes follow the machine.
    command = ["dpkg-deb", "--root-owner-group", "--threads-max=1", "-Zxz", "--build", root, place]
    run(f"dpkg-deb {name} {target.debian}", command, env={**os.environ, "SOURCE_DATE_EPOCH": str(epoch())}, quiet=True)
    return [place]


def _install(target, libraries, prefix, libdir, *, rpath):
    """What `make -C sdk-c install` puts there, from libraries that are built; the folder it stands in."""
    built = WORK / "c" / target.triple / "built"
    root = WORK / "c" / target.triple / "root"
    shutil.rmtree(built.parent, ignore_errors=True)
    built.mkdir(parents=True)
    for name, file in libraries.items():
        shutil.copy2(file, built / name)
    if target.is_windows:
        _import_library(built)
    system = "Darwin" if target.is_macos else "Windows" if target.is_windows else "Linux"
    env = {**os.environ, "BUILT": str(built), "SYSTEM": system}
    variables = [f"PREFIX={prefix}", f"LIBDIR={libdir}", f"DESTDIR={root}", f"RPATH={rpath}"]
    run(f"{target.triple} c install", ["make", "-C", SOURCE / "sdk-c", "install", *variables], env=env, quiet=True)
    return root


def _import_library(built):
    """`extline.lib`, with which MSVC links, of all that the library exports."""
    described = output([tools() / "python", "-c", EXPORTS, built / "extline.dll"])
    names = [name for name in described.split() if re.match(r"extline_\w+$", name)]
    if not names:
        raise Failure(f"{built / 'extline.dll'} exports nothing")
    definition = built / "extline.def"
    definition.write_text("\n".join(["LIBRARY extline.dll", "EXPORTS", *sorted(names), ""]))
    command = [tools() / "python", "-m", "ziglang", "dlltool", "-m", "i386:x86-64"]
    run("extline.lib", [*command, "-d", definition, "-l", built / "extline.lib"], quiet=True)


def _replace(file, old, new):
    file.write_text(file.read_text().replace(old, new))


def _tree(folder, name):
    """The files and links of a folder, by their names in an archive."""
    files = {}
    for path in folder.rglob("*"):
        inside = f"{name}/{path.relative_to(folder)}"
        if path.is_symlink():
            files[inside] = ("->", os.readlink(path))
        elif path.is_file():
            files[inside] = path
    return files
