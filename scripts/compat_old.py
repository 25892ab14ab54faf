"""Extensions of a revision before under the host of now, and the reverse.

The revision is laid out below target/compat and built there. An extension in each language is then called under
both hosts, and must answer under the other one as under its own. The kits of now are held to the tester of
then: what an SDK wrote by the rules of a release it still writes.
"""

import os
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = "extline-cli weather-rust extline-kit extline-python extline-python-testing extline-c".split()
# What is asked of each extension, and how its command must end: docs/cli.md has the exit codes.
ASKED = {
    "a call": (["call", "{extension}", "weather", '{"city": "Berlin", "units": "f"}'], 0),
    "an error of the tool": (["call", "{extension}", "weather", '{"city": "Atlantis"}'], 1),
    "arguments that the schema forbids": (["call", "{extension}", "weather", "{}"], 6),
    "a command": (["command", "{extension}", "weather", "Berlin"], 0),
    "what it offers": (["inspect", "{extension}"], 0),
}
# Seconds after which something hangs.
PATIENCE = 60
PATIENCE_WITH_TESTER = 600


@dataclass
class Build:
    """A tree of this repository, and where it was built."""

    name: str
    tree: Path
    target: Path

    def extline(self):
        return str(self.target / "debug/extline")

    def environment(self, work):
        """So that each extension finds the SDK of its own tree. A host hands on PATH and little else."""
        own = work / self.name
        return os.environ | {
            "CARGO_TARGET_DIR": str(self.target),
            "PATH": f"{own / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "EXTLINE_HOME": str(own / "home"),
            "NO_COLOR": "1",
        }


def check(revision, target, work):
    identity = git("rev-parse", "--short", f"{revision}^{{commit}}")
    print(f"then is {revision} ({identity}), now is the tree as it is", flush=True)
    then = Build("then", work / identity / "tree", work / identity / "target")
    now = Build("now", ROOT, target)
    lay_out(identity, then.tree)
    for build in (then, now):
        make(build, work)
    failed = []
    for language in ("rust", "c", "python", "javascript"):
        for guest, host in ((then, now), (now, then)):
            failed += crossed(language, guest, host, work)
    for kit in ("rust", "c", "sdk-python"):
        failed += conforms(kit, now, then, work)
    # They load the library that was laid beside them here; the tests build their own.
    shutil.rmtree(now.tree / "conformance/kit/c/build")
    (now.tree / "examples/weather-c/weather").unlink()
    for line in failed:
        print(f"FAILED {line}")
    return not failed


def lay_out(identity, tree):
    if tree.exists():
        return
    tree.mkdir(parents=True)
    archive = subprocess.Popen(["git", "archive", identity], stdout=subprocess.PIPE)
    subprocess.run(["tar", "-x", "-C", str(tree)], stdin=archive.stdout, check=True)
    if archive.wait():
        shutil.rmtree(tree)
        sys.exit(f"git archive {identity} failed")


def make(build, work):
    print(f"builds what it was {build.name}", flush=True)
    environment = os.environ | {"CARGO_TARGET_DIR": str(build.target)}
    chosen = [word for name in PACKAGES for word in ("-p", name)]
    run(["cargo", "build", "--locked", "--quiet", *chosen], cwd=build.tree, env=environment)
    make_python(build, work)
    make_c(build, work)
    run(["scripts/build-node.sh"], cwd=build.tree, env=environment)
    run(["node", "sdk-node/scripts/link.mjs", "examples/hello-javascript"], cwd=build.tree)


def make_python(build, work):
    """The package in its place, and a `python3` that finds it."""
    for module, place in (("native", "_native"), ("testing_native", "testing/_native")):
        to = build.tree / f"sdk-python/python/extline/{place}.abi3.so"
        # The old file is left to those who have it loaded.
        to.unlink(missing_ok=True)
        shutil.copy(build.target / f"debug/libextline_{module}.so", to)
    python = work / build.name / "bin/python3"
    python.parent.mkdir(parents=True, exist_ok=True)
    package = build.tree / "sdk-python/python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH={shlex.quote(str(package))} exec {shlex.quote(sys.executable)} "$@"\n')
    python.chmod(0o755)


def make_c(build, work):
    """The example and the kit in C, with the library beside them under the name by which it is loaded."""
    libraries = work / build.name / "lib"
    shutil.rmtree(libraries, ignore_errors=True)
    libraries.mkdir(parents=True)
    shutil.copy(build.target / "debug/libextline.so", libraries)
    dynamic = subprocess.run(["readelf", "-d", libraries / "libextline.so"], capture_output=True, text=True, check=True)
    soname = next(line.split("[")[1].rstrip("]\n") for line in dynamic.stdout.splitlines() if "(SONAME)" in line)
    (libraries / soname).symlink_to("libextline.so")
    example = build.tree / "examples/weather-c"
    include, linked = f"-I{build.tree / 'sdk-c/include'}", f"-L{libraries} -Wl,-rpath,{libraries} -lextline"
    run(["cc", "-std=c99", "-o", str(example / "weather"), str(example / "weather.c"), include, *linked.split()])
    words = [f"EXTLINE_CFLAGS={include}", f"EXTLINE_LIBS={linked}"]
    run(["make", "-s", "-B", "-C", str(build.tree / "conformance/kit/c"), *words])


def crossed(language, guest, host, work):
    """The extension of one tree under the host of the other: what is not as under its own host."""
    asked = ASKED
    folder = guest.tree / f"examples/weather-{language}"
    if language == "javascript":
        folder = guest.tree / "examples/hello-javascript"
        asked = {"a call": (["call", "{extension}", "hello", '{"who": "Ada"}'], 0), "what it offers": ASKED["what it offers"]}
    failed = []
    for what, (words, code) in asked.items():
        words = [str(folder) if word == "{extension}" else word for word in words]
        at_home = ask(guest, guest, words, work)
        abroad = ask(host, guest, words, work)
        # Only what the extension says must be the same; the words of a host may change.
        is_same = at_home.stdout == abroad.stdout or words[0] == "inspect"
        if at_home.returncode == abroad.returncode == code and is_same:
            continue
        failed.append(
            f"{language} of {guest.name} under the host of {host.name}, {what}: exit {abroad.returncode}, "
            f"under its own {at_home.returncode}\n{abroad.stdout}{abroad.stderr}"
        )
    print(f"{len(asked) - len(failed)} of {len(asked)}: {language} of {guest.name} under the host of {host.name}", flush=True)
    return failed


def ask(host, guest, words, work):
    """The environment is the guest's; a host has none of its own here."""
    command = [host.extline(), *words]
    return subprocess.run(command, env=guest.environment(work), capture_output=True, text=True, timeout=PATIENCE)


def conforms(kit, guest, host, work):
    folder = str(guest.tree / "conformance/kit" / kit)
    command = [host.extline(), "conformance", "--level", "kit", "--call", folder]
    environment = guest.environment(work)
    told = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE_WITH_TESTER)
    print(f"{told.stdout.strip().splitlines()[-1]}: the kit {kit} of {guest.name} by the tester of {host.name}", flush=True)
    return [] if told.returncode == 0 else [f"the kit {kit} of {guest.name}:\n{told.stdout}"]


def run(command, **options):
    subprocess.run(command, check=True, **options)


def git(*words):
    return subprocess.run(["git", *words], capture_output=True, text=True, check=True).stdout.strip()
