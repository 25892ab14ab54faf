"""The programs of this repository, as a user starts them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
BUILT = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "debug"
# Seconds; a bound that only catches hangs.
PATIENCE = 300


def run(
    program: str, *args: str | Path, home: Path, typed: str = "", folder: Path = ROOT
) -> subprocess.CompletedProcess[str]:
    """Runs it with what a user types; ``home`` is where it keeps what outlives it."""
    # The first python3 is the one that runs the tests.
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        [BUILT / program, *args],
        cwd=folder,
        env={**os.environ, "PATH": path, "EXTLINE_HOME": str(home)},
        input=typed,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def says(program: str, *args: str | Path, home: Path, **how: str) -> str:
    """What it prints; it must succeed."""
    done = run(program, *args, home=home, **how)  # type: ignore[arg-type]
    assert done.returncode == 0, f"{done.args}: {done.stdout}{done.stderr}"
    return done.stdout
