"""The extension that `extline new --lang python` writes: it runs, its test passes, it conforms."""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

import pytest
from program import ROOT, run, says


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("new")
    printed = says("extline", "new", "hi-python", "--lang", "python", home=folder, folder=folder)
    sdk = ROOT / "sdk-python"
    assert f"python3 -m venv hi-python/.venv && hi-python/.venv/bin/pip install {sdk}\n" in printed
    made = folder / "hi-python"
    # In place of pip, which would build the package once more.
    venv.create(made / ".venv", symlinks=True)
    [packages] = made.glob(".venv/lib/python*/site-packages")
    (packages / "extline.pth").write_text(f"{sdk / 'python'}\n")
    return made


def test_it_runs_from_any_folder_with_its_own_python(made: Path, tmp_path: Path) -> None:
    called = says("extline", "call", made, "greet", '{"who": "you"}', home=tmp_path, folder=tmp_path)
    assert called == "Hello, you!\n"
    assert run("extline", "call", made, "greet", '{"who": " "}', home=tmp_path).returncode == 1
    commanded = says("extline", "command", made, "hi-python", "Ada", home=tmp_path)
    assert commanded == "prompt: Greet Ada in one line.\n"


def test_its_own_test_passes(made: Path) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_extension.py"]
    tested = subprocess.run(command, cwd=made, capture_output=True, text=True, check=False)
    assert "1 passed" in tested.stdout, tested.stdout + tested.stderr


def test_it_conforms_at_the_level_of_an_sdk(made: Path, tmp_path: Path) -> None:
    outcome = run("extline", "conformance", "--level", "sdk", made, home=tmp_path)
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
