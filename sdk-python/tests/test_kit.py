"""The kit in Python, held to the surface that every kit has (docs/kit.md)."""

from __future__ import annotations

from pathlib import Path

from program import ROOT, run

KIT = ROOT / "conformance" / "kit" / "sdk-python"
FOUND = ROOT / "conformance" / "found"


def test_the_kit_conforms(tmp_path: Path) -> None:
    outcome = run("extline", "conformance", "--level", "kit", "--cases", FOUND, KIT, home=tmp_path)
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
