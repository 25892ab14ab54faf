"""The kit in Python, held to the surface that every kit has (docs/tester/kits.md)."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from program import ROOT, run

KIT = ROOT / "conformance" / "kit" / "sdk-python"
FOUND = ROOT / "conformance" / "found"


def test_the_kit_conforms(tmp_path: Path) -> None:
    outcome = run("extline", "conformance", "--level", "kit", "--cases", FOUND, KIT, home=tmp_path)
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr


@pytest.mark.parametrize("host", ["cancels", "ends"])
def test_it_holds_against_a_hostile_host(host: str, tmp_path: Path) -> None:
    """No cancel is lost, and it ends in time whatever its host does not read."""
    outcome = run(f"examples/{host}", sys.executable, "kit.py", home=tmp_path, folder=KIT)
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
