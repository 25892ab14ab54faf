"""Stdout belongs to the protocol while a host is there, and to the program otherwise."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from wire import PACKAGE, text

STRAY = """
import atexit, ctypes, os, subprocess, sys

def stray(processes=True):
    print("print")
    os.write(1, b"os.write\\n")
    sys.stdout.flush()
    libc = ctypes.CDLL(None)
    libc.puts(b"puts")
    libc.fflush(None)
    if processes:
        os.system("echo os.system")
        subprocess.run(["echo", "subprocess"])
    sys.__stdout__.write("__stdout__\\n")
    sys.__stdout__.flush()

stray()
# The end has a second and a half, which processes may take on a busy machine.
atexit.register(stray, False)

@ext.tool
def noisy() -> str:
    stray()
    return repr(os.read(0, 10))

@ext.setup
def prepare(): stray()

@ext.teardown
def down(): stray(False)
"""


def test_only_frames_are_on_the_wire(start) -> None:
    peer = start(STRAY)
    assert text(peer.call("noisy")) == "b''"
    assert peer.shut_down() == 0
    kinds = [frame["type"] for frame in peer.frames()]
    assert kinds == ["hello", "register_tool", "ready", "tool_result", "shutdown_ack"]
    for kind in ["print", "os.write", "puts", "os.system", "subprocess", "__stdout__"]:
        # At import, in setup, in the handler, in teardown, at exit.
        times = 3 if kind in ("os.system", "subprocess") else 5
        assert peer.stderr().count(f"{kind}\n") == times, kind


def python(source: str, *, piped: bool = True, **environment: str) -> subprocess.CompletedProcess[str]:
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("EXTLINE_")}
    return subprocess.run(
        [sys.executable, "-c", source],
        env={**inherited, "PYTHONPATH": str(PACKAGE), "PYTHONUNBUFFERED": "", **environment},
        input="" if piped else None,
        stdin=None if piped else subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_script_that_imports_the_package_keeps_its_stdout() -> None:
    outcome = python("import extline; print('mine')", piped=False)
    assert (outcome.stdout, outcome.stderr) == ("mine\n", "")


def test_a_script_between_two_pipes_is_told_how_to_keep_it() -> None:
    outcome = python("import extline; print('mine')")
    assert outcome.stdout == ""
    assert "mine\n" in outcome.stderr
    assert "EXTLINE_STDIO=leave" in outcome.stderr
    left = python("import extline; print('mine')", EXTLINE_STDIO="leave")
    assert (left.stdout, left.stderr) == ("mine\n", "")


def test_text_printed_before_the_import_is_not_on_the_wire() -> None:
    outcome = python("print('early'); import extline; extline.Extension('a', '1').run()")
    assert [line for line in outcome.stdout.splitlines() if not line.startswith("{")] == []
    assert outcome.stderr == "early\n"


def test_a_test_runner_keeps_its_stdout(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(
        "import extline\next = extline.Extension('a', '1')\ndef test_it(): print('seen')\n"
    )
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("EXTLINE_")}
    outcome = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-s", str(tmp_path)],
        env={**inherited, "PYTHONPATH": str(PACKAGE)},
        input="",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "seen" in outcome.stdout
    assert "1 passed" in outcome.stdout


def test_a_wrong_choice_is_named() -> None:
    outcome = python("import extline", EXTLINE_STDIO="leve")
    assert outcome.returncode == 1
    assert 'EXTLINE_STDIO is "leve"' in outcome.stderr


def test_by_hand_it_says_what_it_is() -> None:
    # A terminal on stdin, as a person has it.
    source = (
        "import extline; ext = extline.Extension('weather', '1.0.0')\n"
        "@ext.tool\ndef now(): pass\next.run()"
    )
    own, its = os.openpty()
    try:
        outcome = subprocess.run(
            [sys.executable, "-c", source],
            env={**os.environ, "PYTHONPATH": str(PACKAGE)},
            stdin=its,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    finally:
        os.close(own)
        os.close(its)
    assert (outcome.returncode, outcome.stdout) == (0, "")
    assert "weather 1.0.0 is an extension for a coding agent" in outcome.stderr
    assert "extline call DIR now" in outcome.stderr
