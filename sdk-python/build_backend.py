"""Builds the package: maturin with one module more.

A wheel of maturin has one native module, and this package has two: what an extension needs is apart
from what its tests need, `extline.testing._native`. So maturin builds the second one first, and its
file is packed by the build of the first like any other file of the package.
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
    _build_testing(config_settings)
    return maturin.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """The wheel of `pip install --editable`, as PEP 660 has it."""
    _build_testing(config_settings)
    return maturin.build_editable(wheel_directory, config_settings, metadata_directory)


def _build_testing(config_settings):
    # A source archive has the crates elsewhere, and says so.
    config = maturin.get_config()
    crate = Path(config.get("manifest-path", "Cargo.toml")).parent / "testing"
    package = Path(config["python-source"], "extline", "testing").absolute()
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(crate)
        try:
            wheel = maturin.build_wheel(folder, config_settings)
        finally:
            os.chdir(here)
        with zipfile.ZipFile(Path(folder, wheel)) as packed:
            [module] = [name for name in packed.namelist() if Path(name).suffix in (".so", ".pyd")]
            placed = package / Path(module).name
            # A new file, since a process that runs may have the old one in its memory.
            placed.unlink(missing_ok=True)
            placed.write_bytes(packed.read(module))
