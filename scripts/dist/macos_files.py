"""What is made for macOS, read: it runs nowhere here, but its load commands say what would fail."""

import sys
import tarfile
import zipfile

from commands import DIST, Failure, say
from source import version
from targets import MACOS
from toolchain import tools

# What every macOS has.
OF_THE_SYSTEM = ("/usr/lib/libSystem.B.dylib", "/usr/lib/libiconv.2.dylib", "/System/Library/Frameworks/")
OF_THE_LINKER = ("__mh_dylib_header", "___dso_handle")
# What must be exported for the loader of each, and what belongs to no one else.
EXPORTED = {
    # That with MCP is in a file of its own, and is loaded by the name of the one without (extline/_mcp.py).
    ".abi3.so": lambda _, symbols: "_PyInit__native" in symbols,
    ".node": lambda _, symbols: "_napi_register_module_v1" in symbols,
    ".dylib": lambda _, symbols: "_extline_new" in symbols
    and all(it.startswith("_extline_") or it in OF_THE_LINKER for it in symbols),
}


def check():
    """Reads every native file for macOS in dist."""
    sys.path.insert(0, str(next((tools().parent / "lib").glob("python3*/site-packages"))))
    import lief

    count = 0
    for archive, name, content in _files():
        # The whole is kept: its halves are part of it.
        whole = lief.MachO.parse(list(content))
        if whole is None:
            raise Failure(f"{archive}: {name} is no Mach-O file")
        for binary in whole:
            _check(lief, binary, f"{archive}: {name}", name)
            count += 1
    if count == 0:
        raise LookupError("there is nothing for macOS in dist/; make dist makes it")
    say(f"  {count} halves: load commands, names, oldest system, exported symbols, signatures")


def _files():
    for archive in sorted([*DIST.glob("python/*macosx*.whl")]):
        with zipfile.ZipFile(archive) as packed:
            for name in packed.namelist():
                if name.endswith(".so") or name.endswith("/scripts/extline"):
                    yield archive.name, name, packed.read(name)
    archives = [*DIST.glob("npm/*darwin*.tgz"), *DIST.glob("c/*darwin*.tar.gz"), *DIST.glob("command/*darwin*.tar.gz")]
    for archive in sorted(archives):
        with tarfile.open(archive) as packed:
            for member in packed:
                is_program = member.name.endswith((".node", "/bin/extline", "package/extline"))
                is_library = member.name.endswith(".dylib") and member.isfile()
                if is_program or is_library:
                    yield archive.name, member.name, packed.extractfile(member).read()


def _check(lief, binary, where, name):
    def must(holds, what):
        if not holds:
            raise Failure(f"{where}: {what}")

    cpu = {"ARM64": "aarch64", "X86_64": "x86_64"}[binary.header.cpu_type.name]
    oldest = binary.build_version.minos if binary.has_build_version else binary.version_min.version
    stated = [int(part) for part in MACOS[cpu].split(".")]
    must(list(oldest)[: len(stated)] <= stated, f"needs macOS {oldest}, and {MACOS[cpu]} is promised")
    for library in binary.libraries:
        is_own = library.command == lief.MachO.LoadCommand.TYPE.ID_DYLIB
        if is_own and name.endswith(".dylib"):
            expected = f"@rpath/libextline.{version().rsplit('.', 1)[0]}.dylib"
            must(library.name == expected, f"is named {library.name}, and not {expected}")
        must(is_own or library.name.startswith(OF_THE_SYSTEM), f"loads {library.name}, which not every macOS has")
    for place in _tables(binary):
        must(place % 8 == 0, f"has a table at {place}, which is no multiple of 8, and macOS 27 does not load it")
    must(cpu != "aarch64" or binary.has_code_signature, "has no signature, and no arm64 starts it")
    for suffix, holds in EXPORTED.items():
        if name.endswith(suffix):
            symbols = {symbol.name for symbol in binary.exported_symbols}
            must(holds(name, symbols), f"exports {sorted(symbols)[:8]}")


def _tables(binary):
    """Where the tables of symbols lie, from the beginning of the file."""
    symbols, dynamic = binary.symbol_command, binary.dynamic_symbol_command
    return symbols.symbol_offset, symbols.strings_offset, dynamic.indirect_symbol_offset
