"""What a newcomer types to install the package, as the pages have it. It needs a package registry and
compiles the package, so scripts/test-python-package.sh runs it, and not every run of the tests."""

from __future__ import annotations

import os
import re
import subprocess
import venv
from pathlib import Path

from program import BUILT, ROOT
from test_docs import FENCE, fences, follow, matches, sessions

LOCKED = ROOT / "sdk-python" / "requirements-test.txt"
# Seconds; the first time, the package is compiled.
PATIENCE = 1800


def typed(commands: str, folder: Path, tmp_path: Path) -> str:
    """What a shell shows to whom types that. Of packages it has the versions that are locked."""
    constraints = tmp_path / "constraints.txt"
    constraints.write_text("\n".join(re.findall(r"^[a-z][\w.-]*==\S+", LOCKED.read_text(), re.M)))
    done = subprocess.run(
        ["sh", "-ec", commands],
        cwd=folder,
        env={
            **os.environ,
            "PATH": f"{BUILT}{os.pathsep}{os.environ['PATH']}",
            "PIP_CONSTRAINT": str(constraints),
            # Without it pip would compile each time from nothing. There is what the package from the archive was made of.
            "CARGO_TARGET_DIR": str(BUILT.parent / "python-package/target"),
            "EXTLINE_HOME": str(tmp_path / "home"),
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_the_tutorial_from_its_first_command(tmp_path: Path) -> None:
    installing = next(text for language, _, text in fences("python/guide.md") if language == "sh")
    lines = installing.splitlines()
    # These two are had already: this very repository, and its command.
    assert lines[0].startswith("git clone ")
    assert lines[1].startswith("cargo install --path extline/cli")
    typed("\n".join(lines[2:]).replace("../extline", str(ROOT)), tmp_path, tmp_path)
    # What runs is what pip has installed, and not the sources.
    assert list(tmp_path.glob("lines/.venv/lib/python*/site-packages/extline/_native.abi3.so"))
    follow("python/guide.md", tmp_path / "lines", 8)


def test_the_sample_of_the_readme_typed_in_by_hand(tmp_path: Path) -> None:
    page = FENCE.findall((ROOT / "README.md").read_text())
    sample = next(text for language, _, text in page if language == "python")
    console = next(text for language, _, text in page if language == "console")
    (install, _), (call, answer) = sessions(console)
    assert install.startswith("pip install ./sdk-python")
    venv.create(tmp_path / "venv", with_pip=True)
    activated = f". {tmp_path}/venv/bin/activate\n"
    typed(activated + install, ROOT, tmp_path)
    assert matches(answer, typed(activated + call, ROOT, tmp_path))

    folder = tmp_path / "weather"
    folder.mkdir()
    (folder / "weather.py").write_text(sample)
    (folder / "extension.json").write_text(
        '{"name": "weather", "version": "1.0.0", "exec": "python3", "args": ["weather.py"]}'
    )
    run = "printf '!weather {\"city\": \"Berlin\"}\\n/weather Bonn\\n' | extline run ."
    said = typed(activated + run, folder, tmp_path)
    assert "Berlin: 16°C, fog" in said
    assert "Show today's weather for Bonn in one line." in said
