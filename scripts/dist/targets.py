"""The platforms that packages are made for, and what each registry calls them."""

from dataclasses import dataclass

from commands import Failure

# The oldest glibc that a package for Linux needs: that of RHEL 8, Debian 10 and Ubuntu 18.10.
GLIBC = "2.28"


@dataclass(frozen=True)
class Target:
    """A platform. What is empty is not made for it."""

    triple: str
    # As npm's packages name it: `extline-linux-x64-gnu`.
    npm: str
    # The tag of a wheel; the two of macOS make one wheel together.
    wheel: str
    # The tags of the command's wheel, whose program runs wherever the kernel does.
    cli_wheel: str = ""
    # The package of the command on npm: `extline-cli-linux-x64`.
    cli_npm: str = ""
    debian: str = ""

    @property
    def os(self):
        return self.npm.split("-")[0]

    @property
    def cpu(self):
        return self.triple.split("-")[0]

    @property
    def is_gnu(self):
        """Whether it is Linux with glibc."""
        return self.triple.endswith("-linux-gnu")

    @property
    def is_musl(self):
        return self.triple.endswith("-musl")

    @property
    def is_macos(self):
        return self.os == "darwin"

    @property
    def is_windows(self):
        return self.os == "win32"

    @property
    def program(self):
        """The name of the command's file."""
        return "extline.exe" if self.is_windows else "extline"

    def library(self, name):
        """What cargo calls a shared library."""
        if self.is_windows:
            return f"{name}.dll"
        return f"lib{name}.{'dylib' if self.is_macos else 'so'}"

    @property
    def zig(self):
        """The name for cargo-zigbuild, which takes the version of glibc behind it."""
        return f"{self.triple}.{GLIBC}" if self.is_gnu else self.triple


def _linux(cpu, node, debian):
    manylinux = f"manylinux_2_17_{cpu}.manylinux2014_{cpu}.musllinux_1_1_{cpu}"
    tag = GLIBC.replace(".", "_")
    return (
        Target(f"{cpu}-unknown-linux-gnu", f"linux-{node}-gnu", f"manylinux_{tag}_{cpu}", debian=debian),
        Target(
            f"{cpu}-unknown-linux-musl",
            f"linux-{node}-musl",
            f"musllinux_1_2_{cpu}",
            cli_wheel=manylinux,
            cli_npm=f"linux-{node}",
        ),
    )


MACOS_WHEEL = "macosx_10_12_x86_64.macosx_11_0_arm64.macosx_10_12_universal2"
# The oldest macOS that a package runs on, as rustc has it.
MACOS = {"x86_64": "10.12", "aarch64": "11.0"}
WINDOWS = "x86_64-pc-windows-gnu"
TARGETS = (
    *_linux("x86_64", "x64", "amd64"),
    *_linux("aarch64", "arm64", "arm64"),
    Target("aarch64-apple-darwin", "darwin-arm64", MACOS_WHEEL, "macosx_11_0_arm64", "darwin-arm64"),
    Target("x86_64-apple-darwin", "darwin-x64", MACOS_WHEEL, "macosx_10_12_x86_64", "darwin-x64"),
    # Node for Windows is built by MSVC, and packages for it are named so. What is built by mingw loads there too.
    Target(WINDOWS, "win32-x64-msvc", "win_amd64", "win_amd64", "win32-x64"),
)


def chosen(names):
    """The targets of those names, in the order above; all without any."""
    known = [target.triple for target in TARGETS]
    for name in names:
        if name not in known:
            raise Failure(f"there is no target {name}; the targets are {', '.join(known)}")
    return [target for target in TARGETS if not names or target.triple in names]
