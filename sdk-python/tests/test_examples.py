"""The Python examples under the real host, as the README says."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
EXTLINE = TARGET / "debug" / "extline"
# Seconds; a bound that only catches hangs.
PATIENCE = 300

pytestmark = pytest.mark.skipif(not EXTLINE.exists(), reason="cargo build -p extline-cli")


def extline(*args: str) -> subprocess.CompletedProcess[str]:
    # The first python3 is the one that runs the tests.
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        [EXTLINE, *args],
        cwd=ROOT,
        env={**os.environ, "PATH": path},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def test_weather_answers_its_tool_and_its_command() -> None:
    called = extline("call", "examples/weather-python", "weather", '{"city": "Berlin"}')
    assert (called.returncode, called.stdout) == (0, "Berlin: 16°C, fog\n"), called.stderr
    refused = extline("call", "examples/weather-python", "weather", '{"city": "Atlantis"}')
    assert refused.returncode != 0
    assert "no such city" in refused.stdout + refused.stderr
    commanded = extline("command", "examples/weather-python", "weather", "Berlin")
    expected = "prompt: Show today's weather for Berlin in one line.\n"
    assert (commanded.returncode, commanded.stdout) == (0, expected), commanded.stderr


def test_weather_conforms_at_the_level_of_an_sdk() -> None:
    outcome = extline("conformance", "--level", "sdk", "examples/weather-python")
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
