"""What the Node candidates run in: locked packages, and extline's package as its users install it."""

import shutil

from candidates import BENCH, NODE_PROGRAMS, ROOT

PEERS = BENCH / "peers" / "node"
SDK = ROOT / "sdk-node"
INSTALL = ["--no-audit", "--no-fund", "--loglevel=error"]


def build(command):
    """`command` runs one in a folder, and ends everything where it fails."""
    install_locked(command, PEERS)
    install_locked(command, SDK)
    command(["npm", "run", "--silent", "build"], SDK)
    place = made_anew("release")
    command(["npm", "pack", "--silent", "--pack-destination", str(place)], SDK)
    (archive,) = place.glob("extline-*.tgz")
    command(["npm", "install", "--offline", *INSTALL, str(archive)], place)


def link():
    """For a test that all of it works: the package as the tests of the SDK have built it."""
    modules = made_anew("debug") / "node_modules"
    modules.mkdir()
    (modules / "extline").symlink_to(SDK)


def is_there_for_tests():
    """Whether the tests of the Node SDK have built it."""
    is_built = (SDK / "dist" / "index.mjs").exists() and any(SDK.glob("extline.*.node"))
    return is_built and shutil.which("npm") is not None


def install_locked(command, folder):
    """Installed anew when the list is another."""
    mark = folder / "node_modules" / ".installed-from"
    installed_from = (folder / "package-lock.json").read_text(encoding="utf-8")
    if mark.exists() and installed_from in mark.read_text(encoding="utf-8"):
        return
    command(["npm", "ci", *INSTALL], folder)
    mark.write_text(installed_from, encoding="utf-8")


def made_anew(profile):
    """A folder with the programs, which find their packages in it."""
    place = NODE_PROGRAMS / profile
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    for program in (BENCH / "node").glob("*.mjs"):
        shutil.copy(program, place)
    (place / "package.json").write_text('{"private": true}\n', encoding="utf-8")
    return place
