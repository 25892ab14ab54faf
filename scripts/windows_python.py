"""Extensions in Python for Windows: the native half built with mingw, and a Python that a package of Maven has."""

import hashlib
import re
import shutil
import subprocess
import sys
import zipfile

from commands import ROOT, on_path, output, run
from windows_conversation import converse, end_at_once, interrupt, serve_mcp, with_modules
from windows_node import Unavailable

SDK = ROOT / "sdk-python"
KIT = ROOT / "conformance/kit/sdk-python"
EXAMPLE = ROOT / "examples/weather-python"
PRINTED = ["at the import", "no line end", "by the descriptor", "from print", "from a child"]
PACKAGE = "org.bytedeco:cpython:3.11.3-1.5.9:jar:windows-x86_64"
SHA256 = "3263a50b256447bb7b9e604d6587627e419891370fc33b94469e6a06ff4de834"
INSIDE = "org/bytedeco/cpython/windows-x86_64/"
LIBRARY = "python311"


class Python:
    """Python for Windows, with the package `extline` beside programs."""

    left_out = ()

    def __init__(self, folder):
        self.folder = folder
        self.home = folder / "cpython"
        self.program = self.home / "python.exe"

    def fetch(self, compiler):
        """Brings what Maven has, and what the SDK depends on."""
        if not on_path("mvn"):
            raise Unavailable("mvn is missing")
        self.folder.mkdir(parents=True, exist_ok=True)
        mark = self.folder / "made-from.txt"
        if not mark.exists() or mark.read_text() != SHA256:
            self._unpack(self._archive())
            self._forward(compiler)
            mark.write_text(SHA256)
        self._depend()

    def _archive(self):
        words = ["mvn", "-q", "-B", "dependency:copy", f"-Dartifact={PACKAGE}", f"-DoutputDirectory={self.folder}"]
        try:
            subprocess.run(words, cwd=self.folder, check=True, capture_output=True)
        except subprocess.CalledProcessError:
            raise Unavailable(f"mvn does not bring {PACKAGE}") from None
        archive = next(self.folder.glob("*.jar"))
        if hashlib.sha256(archive.read_bytes()).hexdigest() != SHA256:
            raise Unavailable(f"{archive} is another file than was tried")
        return archive

    def _unpack(self, archive):
        shutil.rmtree(self.home, ignore_errors=True)
        with zipfile.ZipFile(archive) as packed:
            inside = [name for name in packed.namelist() if name.startswith(INSIDE)]
            packed.extractall(self.folder, [name for name in inside if not name.startswith(f"{INSIDE}lib/test/")])
        (self.folder / INSIDE).rename(self.home)
        shutil.rmtree(self.folder / INSIDE.partition("/")[0])
        archive.unlink()

    def _forward(self, compiler):
        """A python3.dll, which every installation has and this package lacks: it leads to that of the version."""
        described = output(["x86_64-w64-mingw32-objdump", "-p", self.home / f"{LIBRARY}.dll"])
        exported = described.partition("[Ordinal/Name Pointer] Table")[2].partition("\n\n")[0]
        names = re.findall(r"^\s*\[.*\s(\w+)$", exported, re.MULTILINE)
        definition = self.folder / "python3.def"
        forwards = [f"{name} = {LIBRARY}.{name}" for name in names]
        definition.write_text("\n".join(["LIBRARY python3", "EXPORTS", *forwards, ""]))
        (self.folder / "empty.c").write_text("")
        options = ["-shared", "-nostdlib", "-Wl,--entry=0", "-o", self.home / "python3.dll"]
        run("a python3.dll", [compiler, *options, definition, self.folder / "empty.c"], quiet=True)

    def _depend(self):
        """The package that the SDK depends on, as the tests have it, for Windows."""
        locked = (SDK / "requirements-test.txt").read_text()
        wanted, wheels = re.search(r"^msgspec==(?:.*\\\n)+.*\n", locked, re.MULTILINE)[0], self.folder / "wheels"
        listed = self.folder / "requirements.txt"
        if not listed.exists() or listed.read_text() != wanted:
            shutil.rmtree(wheels, ignore_errors=True)
            scratch = self.folder / "wanted.txt"
            scratch.write_text(wanted)
            platform = ["--only-binary=:all:", "--platform", "win_amd64", "--python-version", "3.11"]
            options = ["--disable-pip-version-check", "--require-hashes", "-r", scratch, "-d", wheels]
            run("msgspec for Windows", [sys.executable, "-m", "pip", "download", *platform, *options], quiet=True)
            scratch.rename(listed)

    def install(self, libraries):
        """Lays the package out, with the native modules that were built, beside an extension."""
        extension = self.folder / "extension"
        shutil.rmtree(extension, ignore_errors=True)
        of_here = shutil.ignore_patterns("*.so", "*.dylib", "*.pyd", "__pycache__")
        shutil.copytree(SDK / "python/extline", extension / "extline", ignore=of_here)
        for package, module in (("", "native"), ("model", "model_native"), ("testing", "testing_native")):
            shutil.copy(libraries[f"extline_{module}"], extension / "extline" / package / "_native.pyd")
        with zipfile.ZipFile(next((self.folder / "wheels").glob("*.whl"))) as wheel:
            wheel.extractall(extension)
        for file in ("extension.py", "modules.py", "asking.py"):
            shutil.copy(SDK / "tests/windows" / file, extension)

    def converses(self, wine, env):
        """A host on Linux talks with an extension, whose handlers are called in threads or are tasks."""
        for further in ([], ["async"]):
            words = [wine, self.program, self.folder / "extension/extension.py", *further]
            # Under wine Python does not start with a file of Linux as its stderr.
            converse(words, env, PRINTED, is_piped=True)
            interrupt(words, env, is_piped=True)
            end_at_once(words, env, is_piped=True)
        words = [wine, self.program, self.folder / "extension/extension.py", "--mcp"]
        serve_mcp(words, env, is_piped=True)

    def uses_modules(self, wine, env):
        """A test and an agent use the other modules."""
        with_modules([wine, self.program, self.folder / "extension/modules.py"], env, is_piped=True)

    def kit(self, folder):
        """The kit's folder, with its packages."""
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(KIT, folder, ignore=shutil.ignore_patterns("__pycache__"))
        for package in ("extline", "msgspec"):
            shutil.copytree(self.folder / "extension" / package, folder / package)
        return folder

    def example(self, folder):
        """The folder of an example, with its packages."""
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for file in ("extension.json", "weather.py"):
            shutil.copy(EXAMPLE / file, folder)
        for package in ("extline", "msgspec"):
            shutil.copytree(self.folder / "extension" / package, folder / package)
        return folder
