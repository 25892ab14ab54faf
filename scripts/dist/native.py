"""The native halves: what cargo makes for each target, kept by name under target/dist-build/native."""

import json
import shutil

from commands import WORK, Failure, output, say
from source import SOURCE
from toolchain import Toolchain

# Bytes that may be loaded at the start of every extension, stripped. What only tests load, and what only an
# MCP server does, is apart for that.
LIBRARY = 1_500_000
# The C library has MCP in the same file, and is built for speed. It is over the bound of the others.
C_LIBRARY = 2_000_000
# The command is over it. All packages are made all the same, and then `make dist` fails.
PROGRAM = 8_000_000

# What is over its bound.
SHORT = []


class Native:
    """What was built for one target. Each method builds, and returns files by the names they are packed under."""

    def __init__(self, target, *, is_quick=False):
        self.target = target
        self.is_quick = is_quick
        self.kept = WORK / ("native-quick" if is_quick else "native") / target.triple

    def node(self, *, with_c=False):
        """The modules of Node, each alone: with another, it has features of its dependencies that it does not
        use. The last makes the C library too where that is wanted, which has MCP as well."""
        npm = self.target.npm
        self._keep(self._module("extline-node"), f"extline.{npm}.node", LIBRARY)
        self._keep(self._module("extline-node-model"), f"extline-model.{npm}.node", LIBRARY)
        self._keep(self._module("extline-node-testing"), f"extline-testing.{npm}.node")
        made = self._serving_mcp(["extline-node", *(["extline-c"] if with_c else [])])
        self._keep(made / self.target.library("extline_node"), f"extline-mcp.{npm}.node")
        return {path.name: path for path in sorted(self.kept.glob("*.node"))}

    def c(self):
        """The shared and the static C library, which answer MCP too, and the static one for agents."""
        made = self._serving_mcp(["extline-c"])
        shared = made / self.target.library("extline")
        self._keep(shared, shared.name, C_LIBRARY)
        if self.target.is_windows:
            # What a program is linked with in place of the library itself.
            self._keep(made / "libextline.dll.a", "libextline.dll.a")
        self._keep(made / "libextline.a", "libextline.a")
        model = self._toolchain().build(f"{self.target.triple} extline-c-model", ["extline-c-model"])
        self._keep(model / "libextline_model.a", "libextline_model.a")
        return {path.name: path for path in sorted([*self.kept.glob("libextline*.*"), *self.kept.glob("*.dll")])}

    def _module(self, package):
        made = self._toolchain().build(f"{self.target.triple} {package}", [package], profile="module")
        return made / self.target.library(package.replace("-", "_"))

    def _serving_mcp(self, packages):
        """Builds them with MCP; together they have the features of what they use that each has alone."""
        features = ",".join(f"{package}/mcp" for package in packages)
        title = f"{self.target.triple} {' '.join(packages)} with mcp"
        return self._toolchain().build(title, packages, options=["--features", features])

    def command(self):
        """The program `extline`, which on Linux depends on nothing but the kernel."""
        name = self.target.program
        toolchain = self._toolchain(is_static=True)
        made = toolchain.build(f"{self.target.triple} command", ["extline-cli"], profile="command")
        size = (made / name).stat().st_size
        if size > PROGRAM and not self.is_quick:
            SHORT.append(f"{self.target.triple}: the command has {size:,} bytes, and at most {PROGRAM:,} are allowed")
            say(f"  SHORT: {SHORT[-1]}")
        return self._keep(made / name, name)

    def _toolchain(self, *, is_static=False):
        return Toolchain(self.target, is_static=is_static, is_quick=self.is_quick)

    def _keep(self, made, name, most=None):
        """Copies what the next invocation writes over, after a look at its size."""
        size = made.stat().st_size
        if most and size > most and not self.is_quick:
            raise Failure(f"{self.target.triple}: {name} has {size:,} bytes, and at most {most:,} are allowed")
        self.kept.mkdir(parents=True, exist_ok=True)
        shutil.copy2(made, self.kept / name)
        return self.kept / name


def crates():
    """The crates that are published, each after those that it uses."""
    metadata = json.loads(output(["cargo", "metadata", "--no-deps", "--format-version", "1"], cwd=SOURCE))
    published = {package["name"]: package for package in metadata["packages"] if package["publish"] != []}
    ordered = []
    while len(ordered) < len(published):
        ready = [name for name in sorted(published) if name not in ordered and _needs(published, name) <= set(ordered)]
        if not ready:
            raise Failure("the published crates use each other in a circle")
        ordered += ready
    return ordered


def _needs(published, name):
    used = {it["name"] for it in published[name]["dependencies"] if it["kind"] != "dev"}
    return used & published.keys() - {name}
