"""What the Python candidates run in: locked packages, and extline's wheel as its users install it."""

import os
import shutil
import sys

from candidates import BENCH, BUILT, PYTHON, ROOT, TESTS_MODULE, TESTS_PYTHON

LOCKED = BENCH / "peers" / "python"


def build(command):
    """`command` runs one in a folder, and ends everything where it fails."""
    make("python", command)
    wheels = BUILT / "wheels"
    shutil.rmtree(wheels, ignore_errors=True)
    # As pip makes it: maturin alone makes one of its modules.
    path = f"{PYTHON.parent}{os.pathsep}{os.environ['PATH']}"
    wheel = [str(PYTHON), "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-build-isolation"]
    command(["env", f"PATH={path}", *wheel, "--no-deps", "--wheel-dir", str(wheels), "./sdk-python"], ROOT)
    (wheel,) = wheels.glob("extline-*.whl")
    # The version stays the same from build to build.
    command([*pip("python"), "--force-reinstall", "--no-index", "--no-deps", str(wheel)])


def make(name, command):
    """Made anew when the packages or the interpreter are others."""
    locked = LOCKED / f"{name}.txt"
    mark = BUILT / name / "made-from"
    made_from = f"{sys.base_prefix} {sys.version}\n{locked.read_text(encoding='utf-8')}"
    if mark.exists() and mark.read_text(encoding="utf-8") == made_from:
        return
    command([sys.executable, "-m", "venv", "--clear", str(BUILT / name)])
    # All that is needed is in the list, so pip has nothing to find out.
    command([*pip(name), "--no-deps", "--require-hashes", "-r", str(locked)])
    mark.write_text(made_from, encoding="utf-8")


def pip(name):
    python = str(BUILT / name / "bin" / "python")
    return [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]


def is_there_for_tests():
    """Whether the tests of the Python SDK have made theirs, and built the module beside it."""
    return TESTS_PYTHON.exists() and any(TESTS_MODULE.glob("_native*.so"))
