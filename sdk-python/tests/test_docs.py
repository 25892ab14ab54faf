"""The pages on Python, run as they stand: files are written, commands run, their output compared."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest
from program import BUILT, PATIENCE, ROOT

from extline import Response
from extline._event import _fields
from extline._moment import POINTS
from extline._panel import PanelInput
from extline.events import EVENTS
from extline.testing import Host

DOCS = ROOT / "docs"
FENCE = re.compile(r"^```(\w+)[ ]?(.*?)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def fences(page: str) -> Iterator[tuple[str, str, str]]:
    """The language, what stands behind it, and the text of each."""
    return iter(FENCE.findall((DOCS / page).read_text()))


def follow(page: str, folder: Path, at_least: int) -> None:
    """Writes the files of a page and runs its commands, from behind the installation."""
    ran = 0
    for language, more, text in fences(page):
        name, _, before = more.partition(" before=")
        if before:
            file = folder / name
            head, mark, tail = file.read_text().partition(before.strip('"'))
            file.write_text(head + text + mark + tail)
        elif language == "console":
            for command, shown in sessions(text):
                said = sh(command, folder)
                assert matches(shown, said), f"$ {command}\n{said}"
                ran += 1
        elif name:
            (folder / name).write_text(text)
    assert ran >= at_least


def matches(shown: str, said: str) -> bool:
    """``...`` stands for anything."""
    pattern = ".*".join(map(re.escape, shown.split("...")))
    return re.fullmatch(pattern, said, re.DOTALL) is not None


def sessions(text: str) -> Iterator[tuple[str, str]]:
    """The commands of a console, each with what it shows."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        yield command, shown


def sh(command: str, folder: Path) -> str:
    # The environment that a page has activated by now, or that of the tests.
    own = folder / ".venv" / "bin"
    python = own if (own / "pytest").exists() else Path(sys.executable).parent
    path = os.pathsep.join([str(BUILT), str(python), os.environ["PATH"]])
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": path, "EXTLINE_HOME": str(folder / "home")},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    return done.stdout


def test_the_tutorial_leads_where_it_says(tmp_path: Path) -> None:
    folder = tmp_path / "lines"
    venv.create(folder / ".venv", symlinks=True)
    [packages] = folder.glob(".venv/lib/python*/site-packages")
    (packages / "extline.pth").write_text(f"{ROOT / 'sdk-python' / 'python'}\n")
    follow("python/guide.md", folder, 8)


def test_the_page_on_testing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Where the package is installed, pytest finds its fixture by itself.
    monkeypatch.setenv("PYTEST_PLUGINS", "extline.testing.plugin")
    follow("python/testing.md", tmp_path, 3)


def test_the_page_on_running(tmp_path: Path) -> None:
    follow("python/running.md", tmp_path, 5)


def test_secrets_are_cut_out_of_results_as_the_page_says(tmp_path: Path) -> None:
    follow("results.md", tmp_path, 3)


def test_five_everyday_tasks_are_no_longer_than_with_fastmcp() -> None:
    pairs: dict[str, list[str]] = {"fastmcp": [], "extline": []}
    for _, whose, text in fences("python/from-fastmcp.md"):
        compile(text, whose, "exec")
        pairs[whose].append(text)
    assert [len(texts) for texts in pairs.values()] == [5, 5]

    def lines(text: str) -> int:
        return len([line for line in text.splitlines() if line.strip()])

    for theirs, ours in zip(*pairs.values()):
        assert lines(ours) <= lines(theirs)

    space = {"__name__": "sample", "Host": Host, "Response": Response, "shrink_one": lambda file: None}
    exec("\n".join(pairs["extline"]), space)
    space["test_weather"]()
    with Host(space["ext"]) as host:
        shrunk = host.call("shrink", files=["a", "b"])
        assert shrunk.text == "2 are smaller now"
        assert shrunk.updates[-1]["progress"]["total"] == 2
        assert host.command("review", "main") == Response.prompt("Review the branch main.")
        assert host.intercept("tool_call", tool="bash", args={"command": "rm -rf /"}).blocked


def test_the_extension_of_the_package_passes_its_test(tmp_path: Path) -> None:
    page = (ROOT / "sdk-python" / "README.md").read_text()
    hello, test = [text for language, _, text in FENCE.findall(page) if language == "python"]
    (tmp_path / "hello.py").write_text(hello)
    (tmp_path / "test_hello.py").write_text(test)
    assert "1 passed" in sh("python3 -m pytest -q test_hello.py", tmp_path)


def test_the_sample_of_the_readme_is_the_example() -> None:
    sample = next(text for language, _, text in FENCE.findall((ROOT / "README.md").read_text()) if language == "python")
    example = (ROOT / "examples" / "weather-python" / "weather.py").read_text()
    assert example == "#!/usr/bin/env python3\n" + sample


def test_the_tables_of_events_and_points_are_those_of_the_package() -> None:
    page = (DOCS / "python/events-and-guards.md").read_text()
    rows = [row.strip("|").split("|") for row in page.splitlines() if row.startswith("| `")]
    told = {cells[0].strip("` "): cells for cells in rows if len(cells) == 5}
    assert told.keys() == EVENTS.keys()
    typed = {cells[0].strip("` "): cells[1].strip("` ") for cells in rows if len(cells) == 4}
    for name, kind in EVENTS.items():
        _, named, _, fields, _ = told[name]
        assert named.strip() == f"`events.{kind.__name__}`"
        own = set(re.findall(r"`(\w+)`", fields))
        assert own | {"session_id", "cwd", "sequence"} == _fields(kind), name
        declared = {field: of for one in kind.__mro__ for field, of in getattr(one, "__annotations__", {}).items()}
        for field in _fields(kind):
            assert declared[field] == f"{typed[field]} | None", (name, field)
    for point, kind in POINTS.items():
        [row] = [cells for cells in rows if len(cells) == 3 and f"`{kind.__name__}`" in cells[1]]
        assert point in row[0]
        for member in re.findall(r"`(\w+)`", row[1])[1:]:
            assert hasattr(kind, member), (point, member)
        for method in re.findall(r"\.(\w+)\(", row[2]):
            assert hasattr(kind, method), (point, method)
    inputs = [cells for cells in rows if cells[0].strip("` ") in ("key", "resize", "close")]
    for _, fields in inputs:
        assert set(re.findall(r"`(\w+)`", fields)) - {"rune"} <= set(PanelInput.__slots__)
    assert len(inputs) == 3
    for language, _, text in fences("python/events-and-guards.md"):
        exec(compile(text, language, "exec"), {"__name__": "sample"})
