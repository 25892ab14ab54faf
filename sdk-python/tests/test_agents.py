"""What agents said to their hooks is said again, without the agents: `examples/agents/drive.py --record` wrote it down."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from program import ROOT, run

AGENTS = ROOT / "examples/agents"
TRANSCRIPTS = sorted((AGENTS / "transcripts").glob("*.json"))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home whose extensions end with the test."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    yield tmp_path
    run("extline", "hook", "--stop", home=tmp_path)


@pytest.mark.parametrize("file", TRANSCRIPTS, ids=lambda file: file.stem)
def test_a_transcript_is_answered_as_the_agent_was(file: Path, home: Path) -> None:
    transcript = json.loads(file.read_text())
    # Some take an exit code for it.
    assert any("deny" in hook["stdout"] or hook["code"] == 2 for hook in transcript["hooks"])
    for hook in transcript["hooks"]:
        words = ("hook", "--agent", transcript["agent"], AGENTS / "witness")
        # One agent names the event on the command line.
        event = hook["stdin"].pop("--event", None)
        words += ("--event", event) if event else ()
        done = run("extline", *words, home=home, typed=json.dumps(hook["stdin"]))
        assert done.returncode == hook["code"], done.stderr
        assert plain(done.stdout) == plain(hook["stdout"])


def plain(stdout: str) -> Any:
    """An answer without the reason of a call that was blocked because the extension had been killed."""
    answer = json.loads(stdout or "null")
    said = answer.get("hookSpecificOutput", answer) if answer else {}
    for reason in ("permissionDecisionReason", "reason"):
        if said.get(reason, "").startswith("blocked by witness: "):
            said[reason] = "blocked by witness"
    return answer


def test_there_are_transcripts() -> None:
    assert {file.stem for file in TRANSCRIPTS} >= {"claude", "codex", "copilot", "gemini", "goose", "opencode", "pi", "qwen"}
