"""Editors and type checkers: every sample is clean, and what is a mistake is one to them too."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from program import PATIENCE, ROOT
from test_docs import FENCE, fences
from wire import PACKAGE

EXAMPLES = ROOT / "examples"
MISTAKES = Path(__file__).parent / "typing_mistakes.py"


def samples(folder: Path) -> list[Path]:
    """Each in a folder of its own, as an author has it."""
    made = []
    for example in ("weather-python", "guard-python", "notes-python", "repo-assistant-python"):
        made.append(Path(shutil.copytree(EXAMPLES / example, folder / example)))
    template = folder / "template"
    template.mkdir()
    for file in (ROOT / "cli" / "templates" / "python").glob("*.py"):
        (template / file.name).write_text(file.read_text().replace("{{name}}", "made"))
    tutorial = folder / "tutorial"
    tutorial.mkdir()
    for language, more, text in fences("python/guide.md"):
        name, _, before = more.partition(" before=")
        if language == "python" and name:
            head, mark, tail = "", "", ""
            if before:
                head, mark, tail = (tutorial / name).read_text().partition(before.strip('"'))
            (tutorial / name).write_text(head + text + mark + tail)
    pages = []
    for page in ("events-and-guards", "testing", "running"):
        pages.append(folder / page)
        pages[-1].mkdir()
        for at, (language, more, text) in enumerate(fences(f"python/{page}.md")):
            if language == "python":
                (pages[-1] / (more or f"sample_{at}.py")).write_text(text)
    beside = folder / "beside"
    beside.mkdir()
    ours = [text for _, whose, text in fences("python/from-fastmcp.md") if whose == "extline"]
    more = "from extline.testing import Host\ndef shrink_one(file: str) -> None: ...\n"
    (beside / "beside.py").write_text(more + "\n".join(ours))
    types = folder / "types"
    types.mkdir()
    (types / "types_sample.py").write_text(next(text for language, _, text in fences("python/tools-and-types.md") if language == "python"))
    readme = folder / "readme"
    readme.mkdir()
    hello, test = [
        text for language, _, text in FENCE.findall((ROOT / "sdk-python" / "README.md").read_text()) if language == "python"
    ]
    (readme / "hello.py").write_text(hello)
    (readme / "test_hello.py").write_text(test)
    return [*made, template, tutorial, *pages, beside, types, readme]


def mypy(*files: Path, folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--config-file=", "--cache-dir", folder.parent / "cache", *files],
        cwd=folder,
        env={"MYPYPATH": str(PACKAGE)},
        capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    return done.stdout + done.stderr


def test_every_sample_is_clean(tmp_path: Path) -> None:
    for folder in samples(tmp_path):
        assert mypy(*sorted(folder.glob("*.py")), folder=folder) == "", folder.name


def expected() -> dict[int, str]:
    """The lines that are mistakes, and the word that tells which."""
    lines = MISTAKES.read_text().splitlines()
    marked = {n: re.search(r"# error: (\S+)", line) for n, line in enumerate(lines, 1)}
    return {number: found[1] for number, found in marked.items() if found}


def test_a_mistake_is_one_to_mypy(tmp_path: Path) -> None:
    folder = tmp_path / "mistakes"
    folder.mkdir()
    said = mypy(MISTAKES, folder=folder)
    found: dict[int, str] = {}
    for line, text in re.findall(r"^\S+?:(\d+): error: (.*)$", said, re.M):
        found[int(line)] = found.get(int(line), "") + text
    assert found.keys() == expected().keys(), said
    for number, word in expected().items():
        assert word in found[number], said


@pytest.mark.skipif(shutil.which("basedpyright") is None, reason="pip install basedpyright, and it is tried too")
def test_both_are_so_to_pyright(tmp_path: Path) -> None:
    def pyright(folder: Path) -> list[tuple[str, int, str]]:
        (folder / "pyrightconfig.json").write_text(
            json.dumps({"typeCheckingMode": "strict", "extraPaths": [str(PACKAGE)], "pythonVersion": "3.10",
                        "reportMissingTypeStubs": False, "reportMissingModuleSource": False})
        )  # fmt: skip
        done = subprocess.run(
            ["basedpyright", "--pythonpath", sys.executable, "--outputjson", folder],
            cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False,
        )  # fmt: skip
        found = json.loads(done.stdout)["generalDiagnostics"]
        return [
            (one["file"], one["range"]["start"]["line"] + 1, one["message"])
            for one in found
            if one["severity"] == "error"
        ]

    for folder in samples(tmp_path):
        assert pyright(folder) == [], folder.name
    folder = tmp_path / "mistakes"
    folder.mkdir()
    shutil.copy(MISTAKES, folder)
    lines = {line for _, line, _ in pyright(folder)}
    assert lines == expected().keys()
