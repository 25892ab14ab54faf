"""Builds the package: maturin with three modules more.

A wheel of maturin has one native module, and this package has four: what an extension needs is apart
from what its tests need, `extline.testing._native`, from what an agent needs, `extline.model._native`,
and from what it needs as an MCP server, which is larger, `_native_mcp`. So maturin builds these three
first, and their files are packed by the build of the first like any other file of the package.
"""

from __future__ import annotations

import os
import tempfile
import zipfile
from pathlib import Path

import maturin
from maturin import (  # noqa: F401, what a build backend has
    build_sdist,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """The wheel, as PEP 517 has it."""
    _build_further_modules(config_settings)
    return maturin.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """The wheel of `pip install --editable`, as PEP 660 has it."""
    _build_further_modules(config_settings)
    return maturin.build_editable(wheel_directory, config_settings, metadata_directory)


def _build_further_modules(config_settings):
    # A source archive has the crates elsewhere, and says so.
    config = maturin.get_config()
    crate = Path(config.get("manifest-path", "Cargo.toml")).parent
    package = Path(config["python-source"], "extline").absolute()
    for part in ("model", "testing"):
        _build(crate / part, config_settings, package / part, "_native")
    given = dict(config_settings or {})
    # Where there are none, maturin takes those of the environment.
    args = given.get("build-args") or os.environ.get("MATURIN_PEP517_ARGS", "")
    given["build-args"] = f"{args} --features mcp".strip()
    _build(Path(), given, package, "_native_mcp")


def _build(crate, config_settings, package, name):
    """Has the module of a crate made, and puts it into the package under that name."""
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(crate)
        try:
            wheel = maturin.build_wheel(folder, config_settings)
        finally:
            os.chdir(here)
        with zipfile.ZipFile(Path(folder, wheel)) as packed:
            is_module = lambda file: file.name.startswith("_native.") and file.suffix in (".so", ".pyd")  # noqa: E731
            modules = [file for file in map(Path, packed.namelist()) if is_module(file)]
            # Further ones of the package may be in the wheel: those in folders below.
            module = min(modules, key=lambda file: len(file.parts))
            placed = package / module.name.replace("_native", name, 1)
            # A new file, since a process that runs may have the old one in its memory.
            placed.unlink(missing_ok=True)
            placed.write_bytes(packed.read(str(module)))
