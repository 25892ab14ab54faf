#!/usr/bin/env python3
"""Builds what is ported to Windows with mingw, and runs it under wine: `make test-windows`.

    make test-windows

On Windows it runs the tests of what is ported by cargo, and builds the command. Elsewhere it takes the work
tree as it is, and needs a linker for Windows (gcc-mingw-w64-x86-64) and wine (wine64). Where
one of them is absent it is skipped in one line, and so are extensions in Node without npm, and those in
Python without mvn, which bring these for Windows. Wine has a folder of its own, target/windows/wine.
"""

import copy
import getpass
import json
import os
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "dist"))

from commands import ROOT, Failure, main_of, on_path, run, say  # noqa: E402
from targets import WINDOWS as TARGET  # noqa: E402
from toolchain import MINGW as LINKER  # noqa: E402
from toolchain import Missing, debian_rustc, has_std, no_node  # noqa: E402
from windows_console import asks, asks_for_more  # noqa: E402
from windows_conversation import Wrong, converse, serve_mcp  # noqa: E402
from windows_demo import EXAMPLES, Demo  # noqa: E402
from windows_host import (  # noqa: E402
    Command,
    answers_hooks,
    conforms,
    keeps_its_home_private,
    leaves_nothing,
    serves,
    starts_scripts,
)
from windows_node import Node, Unavailable  # noqa: E402
from windows_python import Python  # noqa: E402
from windows_tap import taps  # noqa: E402

FOLDER = ROOT / "target/windows"
PREFIX = FOLDER / "wine"
# Debian has the program of its package wine64 there.
DEBIAN_WINE = Path("/usr/lib/wine")
# Of these the unit tests are run, as the others are the same everywhere and take long or start Unix's programs.
UNITS = ["extline-json", "extline-protocol", "extline-driver"]
# Of these all tests are run.
WHOLE = ["extline-stdio"]
# What the demo starts, but for the example in C: extensions, and an agent.
DEMO = ["weather-rust", "guard-rust", "todo-rust", "embed-host"]
# The host and the command: their units, and of the other tests those that start no program of Unix.
HOST = ["--package", "extline-host", "--lib", "--test", "manifests", "--test", "views"]
CLI = ["--package", "extline-cli", "--bins", "--test", "model"]
# The SDK for Rust: its units, its testing host, and extensions as processes, which the program of the example is.
SDK = ["--package", "extline", "--lib", "--test", "testing", "--test", "processes"]
PROBE = ["--package", "extline", "--example", "probe"]
# The command, and the kit in Rust.
COMMAND = ["--package", "extline-cli", "--package", "extline-kit", "--bins"]
# The modules of the SDKs: of these the one for extensions can be an MCP server too.
NODE = ["--package", "extline-node", "--package", "extline-node-model", "--package", "extline-node-testing"]
NODE += ["--features", "extline-node/mcp"]
PYTHON = ["--package", "extline-python", "--package", "extline-python-model", "--package", "extline-python-testing"]
PYTHON += ["--features", "extline-python/mcp"]
# Some are measured against time, and wine is slow to start processes.
SDK_OPTIONS = ["--test-threads", "2"]
# What these tests send is Ctrl-Break, which wine does not know.
NOT_UNDER_WINE = [
    "a_handler_that_keeps_the_thread_ends_with_the_process_and_is_named",
    "a_host_that_never_reads_does_not_keep_the_process",
    "a_host_that_reads_nothing_does_not_keep_it_either",
    "a_program_with_a_runtime_of_its_own_serves_and_goes_on",
    "a_teardown_runs_at_every_kind_of_end",
    "sigterm",
]
# Rust's std wants this of Windows, and wine has had it only since version 9.
RANDOM = """
#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T size)
{
    return SystemFunction036(data, (ULONG)size);
}
"""


def main():
    if os.name == "nt":
        return natively()
    reason = missing()
    if reason:
        say(f"  skipped: the tests for Windows; {reason}")
        return 0
    wine = Wine()
    wine.prepare()
    failed = []
    try:
        probe = rust_extension()
        for language, program in (("Rust", probe), ("C", c_extension())):
            if not wine.serves(language, program):
                failed.append(f"a conversation with an extension in {language}")
        runtimes = {"Node": node_extension(wine), "Python": python_extension()}
        runtimes = {language: runtime for language, runtime in runtimes.items() if runtime}
        for language, runtime in runtimes.items():
            for what, check in (
                (f"conversations with an extension in {language}", runtime.converses),
                (f"modules for tests and models in {language}", runtime.uses_modules),
            ):
                if not wine.holds(what, partial(check, wine.program, wine.env)):
                    failed.append(what)
        failed += [f"the command: {what}" for what in wine.commands(*command_and_kits(), examples(), runtimes, probe)]
        for name, words, folder in test_programs():
            if not wine.passes(name, words, folder):
                failed.append(name)
    finally:
        wine.end()
    if failed:
        raise Failure(f"failed under wine: {', '.join(failed)}")
    return 0


def natively():
    """On Windows itself: the same tests by cargo, and the command is built."""
    for words in (
        ["test", "--lib", *packages(UNITS)],
        *(["test", *words] for words in (packages(WHOLE), HOST, CLI, SDK)),
        ["build", "--package", "extline-cli"],
    ):
        subprocess.run(["cargo", words[0], "--locked", *words[1:]], cwd=ROOT, check=True)
    return 0


def missing():
    """Why nothing can be built or run here, or nothing."""
    if not on_path(LINKER):
        return f"{LINKER} is missing: apt-get install gcc-mingw-w64-x86-64"
    if not find("wine64", "wine"):
        return "wine is missing: apt-get install wine64"
    try:
        has_std(TARGET) or debian_rustc()
    except Missing as reason:
        return str(reason).replace("TARGET", TARGET)
    return ""


def find(*names):
    """A program of wine's, or nothing."""
    folders = [*map(Path, os.environ.get("PATH", "").split(os.pathsep)), DEBIAN_WINE]
    found = (folder / name for name in names for folder in folders)
    return next((program for program in found if os.access(program, os.X_OK)), None)


def cargo(title, words, **more):
    """Builds, with more in the environment, and returns what cargo says of each thing that it has built."""
    variable = f"CARGO_TARGET_{TARGET.upper().replace('-', '_')}"
    dropped = ("RUSTFLAGS", "RUSTC", "CARGO_BUILD_TARGET", "RUSTC_WRAPPER", "CARGO_TARGET_DIR")
    env = {name: value for name, value in os.environ.items() if name not in dropped} | more
    env[f"{variable}_LINKER"] = LINKER
    # Otherwise a program loads mingw's libraries, which are not where wine looks.
    env[f"{variable}_RUSTFLAGS"] = "-Ctarget-feature=+crt-static -Clink-arg=-static"
    options = ["--locked", "--target", TARGET, "--target-dir", FOLDER, "--message-format", "json-render-diagnostics"]
    if not has_std(TARGET):
        env.update(RUSTC=str(debian_rustc()), RUSTC_BOOTSTRAP="1")
        options.append("-Zbuild-std=std,panic_unwind")
    log = run(title, ["cargo", *words, *options], env=env)
    lines = log.read_text(errors="replace").splitlines()
    return [json.loads(line) for line in lines if line.startswith("{")]


def rust_extension():
    """The program of the Rust SDK's tests."""
    built = cargo("an extension for Windows", ["build", *PROBE])
    return next(said["executable"] for said in built if said.get("target", {}).get("name") == "probe")


def c_extension():
    """A program in C, beside the library that it is linked with."""
    built = cargo("the C library for Windows", ["build", "--package", "extline-c"])
    made = next(said["filenames"] for said in built if said.get("target", {}).get("name") == "extline")
    library = next(Path(file) for file in made if file.endswith(".dll"))
    program = library.with_name("extension-in-c.exe")
    options = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", f"-I{ROOT / 'sdk-c/include'}"]
    # The compiler finds the library for the linker beside the library itself.
    words = [LINKER, *options, "-o", program, ROOT / "sdk-c/tests/windows.c", f"-L{library.parent}", "-lextline.dll"]
    run("an extension in C for Windows", words, quiet=True)
    return program


def node_extension(wine):
    """An extension in Node, or nothing where no Node for Windows is to be had."""
    node = Node(FOLDER / "node")
    try:
        node.fetch()
    except Unavailable as reason:
        say(f"  skipped: extensions in Node; {reason}")
        return None
    node.install(libraries(cargo("the Node SDK for Windows", ["build", *NODE], LIBNODE_PATH=str(no_node()))))
    node.allow(wine.program, wine.env)
    return node


def python_extension():
    """The same in Python."""
    python = Python(FOLDER / "python")
    try:
        python.fetch(LINKER)
    except Unavailable as reason:
        say(f"  skipped: extensions in Python; {reason}")
        return None
    python.install(libraries(cargo("the Python SDK for Windows", ["build", *PYTHON])))
    return python


def libraries(built):
    """The libraries that cargo has built, by their names."""
    made = {said["target"]["name"]: said["filenames"] for said in built if said.get("filenames")}
    found = {name: [file for file in files if file.endswith(".dll")] for name, files in made.items()}
    return {name: files[0] for name, files in found.items() if files}


def command_and_kits():
    """The command, and the programs of the kits in Rust and in C."""
    built = cargo("the command and a kit for Windows", ["build", *COMMAND])
    made = {said["target"]["name"]: said["executable"] for said in built if said.get("executable")}
    library = FOLDER / TARGET / "debug/extline.dll"
    program = library.with_name("kit-in-c.exe")
    options = ["-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{ROOT / 'sdk-c/include'}"]
    sources = sorted((ROOT / "conformance/kit/c").glob("*.c"))
    words = [LINKER, *options, "-o", program, *sources, f"-L{library.parent}", "-lextline.dll", "-pthread", "-static"]
    run("the kit in C for Windows", words, quiet=True)
    return made["extline"], made["extline-kit"], (program, library)


def examples():
    """The programs of the demo by their names, and that of the example in C with its library."""
    built = cargo("the examples for Windows", ["build", *packages(DEMO), "--bins"])
    made = {said["target"]["name"]: said["executable"] for said in built if said.get("executable")}
    library = FOLDER / TARGET / "debug/extline.dll"
    program = library.with_name("weather-in-c.exe")
    options = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", f"-I{ROOT / 'sdk-c/include'}"]
    words = [LINKER, *options, "-o", program, EXAMPLES / "weather-c/weather.c", f"-L{library.parent}", "-lextline.dll"]
    run("an example in C for Windows", words, quiet=True)
    return made, (program, library)


def test_programs():
    """The programs of all tests: what each tests, how it is started, and the folder of its package."""
    skipped = [word for name in NOT_UNDER_WINE for word in ("--skip", name)]
    for title, words, options in (
        ("unit tests for Windows", ["--lib", *packages(UNITS)], []),
        ("tests for Windows", packages(WHOLE), []),
        ("tests of the host for Windows", HOST, []),
        ("tests of the command for Windows", CLI, []),
        ("tests of the SDK for Windows", SDK, [*SDK_OPTIONS, *skipped]),
    ):
        for said in cargo(title, ["test", "--no-run", *words]):
            if said["reason"] == "compiler-artifact" and said["profile"]["test"] and said["executable"]:
                package = Path(said["manifest_path"]).parent
                name = f"{package.relative_to(ROOT)} {said['target']['name']}"
                yield name, [said["executable"], *options], package


def packages(names):
    return [word for name in names for word in ("--package", name)]


class Wine:
    """Wine with a folder of its own, which says nothing of itself."""

    def __init__(self):
        self.program = find("wine64", "wine")
        self.server = find("wineserver")
        self.kept = None
        self.env = {
            **os.environ,
            "WINEPREFIX": str(PREFIX),
            "WINEDEBUG": "-all",
            # It asks for none of these.
            "WINEDLLOVERRIDES": "mscoree=d;mshtml=d;winemenubuilder.exe=d",
            "DISPLAY": "",
            # Wine takes a second for each, and handlers that panic are tested against time.
            "RUST_BACKTRACE": "0",
            "EXTLINE_BUILT": "1",
        }

    def prepare(self):
        """Makes the folder, and starts what the programs of wine share."""
        system = PREFIX / "drive_c/windows/system32"
        if not system.is_dir():
            # It makes its own folder, and none above.
            PREFIX.parent.mkdir(parents=True, exist_ok=True)
            run("wineboot", [self.program, "wineboot", "-i"], env=self.env)
        library = system / "bcryptprimitives.dll"
        if not library.exists():
            source = FOLDER / "random.c"
            source.write_text(RANDOM)
            run("random numbers", [LINKER, "-shared", "-o", library, source, "-ladvapi32"], quiet=True)
        if self.server:
            # Otherwise it ends between two programs, and takes seconds to start.
            subprocess.run([self.server, "-p"], env=self.env, check=False)
        # As long as this waits for its input, wine's own services run. They are started beside the first program,
        # and hold its stderr open.
        nothing = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        words = [self.program, "find.exe", "nothing"]
        self.kept = subprocess.Popen(words, stdin=subprocess.PIPE, env=self.env, **nothing)

    def end(self):
        """Ends all that runs in the folder."""
        if self.kept:
            self.kept.stdin.close()
            self.kept.wait()
        if self.server:
            subprocess.run([self.server, "-k"], env=self.env, check=False)

    def serves(self, language, program):
        """Whether an extension converses as it should with a host on Linux."""
        try:
            converse([self.program, program], self.env)
        except Wrong as wrong:
            say(f"error: the extension in {language}: {wrong}")
            return False
        say(f"  wine: a conversation with an extension in {language}")
        return True

    def commands(self, program, rust, c, examples, runtimes, probe):
        """What the command fails at, in words."""
        command = Command(self.program, program, self.env, FOLDER / "kits")
        kits = {
            "Rust": command.kit("rust", ROOT / "conformance/kit/rust", rust),
            "C": command.kit("c", ROOT / "conformance/kit/c", c[0], beside=[c[1]]),
        }
        home = PREFIX / "drive_c/users" / getpass.getuser() / "AppData/Local/extline"
        shutil.rmtree(home, ignore_errors=True)
        checks = {}
        for language, kit in kits.items():
            checks[f"a kit in {language} is called and run"] = lambda kit=kit: serves(command, kit)
            checks[f"a kit in {language} conforms"] = lambda kit=kit: conforms(command, kit)
        # Where wine finds the programs that these are run by.
        found = copy.copy(command)
        found.env = {**self.env, "WINEPATH": ";".join(str(runtime.program.parent) for runtime in runtimes.values())}
        for language, runtime in runtimes.items():
            kit, left_out = runtime.kit(command.folder / language.lower()), runtime.left_out
            checks[f"a kit in {language} is called and run"] = partial(serves, found, kit)
            checks[f"a kit in {language} conforms"] = partial(conforms, found, kit, left_out)
        served = {"command": [self.program, program, "mcp", kits["Rust"]], "result": '{"text": "x"}', "text": "x"}
        checks["a client of MCP is served"] = partial(serve_mcp, env=self.env, **served)
        checks |= self.demo(command, found, examples, runtimes)
        checks["scripts are started"] = lambda: starts_scripts(command, kits["Rust"])
        checks["a tap closes what is closed"] = lambda: taps(command, LINKER, probe)
        checks["hooks are answered"] = lambda: answers_hooks(command, kits["Rust"])
        checks["a person is asked at a console"] = lambda: asks(command, kits["Rust"])
        if "Python" in runtimes:
            checks["lists and editors are there"] = lambda: asks_for_more(command, runtimes["Python"])
        checks["its home is private"] = lambda: keeps_its_home_private(home)
        checks["a killed host leaves nothing"] = lambda: leaves_nothing(command, kits["Rust"])
        return [what for what, check in checks.items() if not self.holds(what, check)]

    def demo(self, command, found, examples, runtimes):
        """The checks that are the demo."""
        (made, c), folder = examples, command.folder / "demo"
        inside = copy.copy(command)
        inside.folder = folder
        folders = {name: inside.kit(name, EXAMPLES / name, made[name]) for name in DEMO if name != "embed-host"}
        weathers = {"Rust": folders["weather-rust"]}
        weathers["C"] = inside.kit("weather-c", EXAMPLES / "weather-c", c[0], beside=[c[1]])
        for language, runtime in runtimes.items():
            weathers[language] = runtime.example(folder / f"weather-{language.lower()}")
        demo, checks = Demo(found, folder), {}
        for language, weather in weathers.items():
            checks[f"demo: an example in {language} is used"] = partial(demo.uses, weather)
        for language in ("Rust", "C"):
            checks[f"demo: an example in {language} is installed"] = partial(demo.installs, weathers[language])
        three = list(folders.values())
        checks["demo: an agent is kept in check"] = partial(demo.keeps_in_check, made["embed-host"], three)
        checks["demo: several in one session"] = partial(demo.holds_a_session, three)
        return checks

    def holds(self, what, check):
        """Whether a check passes, which says more where it has to."""
        try:
            said = check()
        except Wrong as wrong:
            say(f"error: {what}: {wrong}")
            return False
        say(f"  wine: {what}" + (f": {said}" if said else ""))
        return True

    def passes(self, name, words, folder):
        """Whether the tests of a program pass; what they say is shown otherwise."""
        try:
            run(f"wine {name}", [self.program, *words], env=self.env, cwd=folder)
        except Failure as failure:
            say(f"error: {failure}")
            return False
        return True


if __name__ == "__main__":
    main_of(main)
