"""The example notes-python: its panel, its tools, and that the notes outlive it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from program import ROOT, run, says
from wire import text

EXAMPLE = ROOT / "examples" / "notes-python"
CAPABILITIES = ["panels"]


def test_the_panel_is_drawn_anew_after_every_key_and_after_a_call_of_the_model(start, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    peer = start(EXAMPLE / "notes.py", data_dir=str(data))
    opened = peer.command("notes")["open_panel"]
    assert (opened["id"], opened["title"], opened["lines"]) == ("notes", "Notes (0)", ["  none yet"])

    def press(*keys: str) -> list[str]:
        for key in keys:
            pressed = {"key": "rune", "text": key} if len(key) == 1 else {"key": key}
            peer.send({"type": "panel_key", "panel_id": "notes", **pressed})
            drawn = peer.next("panel_render")
        return drawn["lines"]

    assert press("a", "o", "k", "x", "backspace") == ["> new: ok_"]
    assert press("enter") == ["> ok"]
    peer.begin("add_note", "t1", text="  from the\nmodel ")
    assert peer.next("panel_render")["lines"] == ["> ok", "  from the model"]
    assert text(peer.next("tool_result")) == "1. ok\n2. from the model"
    assert press("down") == ["  ok", "> from the model"]
    assert press("down", "up", "d") == ["> from the model"]
    assert press("a", "z", "esc") == ["> from the model"]
    peer.send({"type": "panel_key", "panel_id": "notes", "key": "esc"})
    assert peer.next()["type"] == "panel_close"
    # Drawn nowhere: it is closed.
    peer.begin("add_note", "t2", text="unseen")
    assert text(peer.next("tool_result")) == "1. from the model\n2. unseen"

    missing = peer.call("remove_note", "t3", number=3)
    assert missing["error"]["kind"] == "not_found"
    assert missing["error"]["field"] == "/number"
    assert "2. unseen" in missing["error"]["hint"]
    assert peer.call("add_note", "t4", text=" ")["error"]["field"] == "/text"
    assert peer.shut_down() == 0
    assert peer.stderr() == ""


def test_a_damaged_file_is_an_error_and_stays_as_it_is(start, tmp_path: Path) -> None:
    (tmp_path / "notes.json").write_text('["one",')
    peer = start(EXAMPLE / "notes.py", data_dir=str(tmp_path))
    refused = peer.call("add_note", text="two")
    assert refused["error"]["kind"] == "internal"
    assert "is damaged, so it is left as it is" in text(refused)
    assert "is damaged" in peer.command("notes")["error"]
    assert (tmp_path / "notes.json").read_text() == '["one",'


def test_a_host_without_a_data_folder_is_told(start) -> None:
    assert start(EXAMPLE / "notes.py").call("list_notes")["error"]["kind"] == "unsupported"


@pytest.mark.parametrize("profile", ["spec", "zot-0.1.62"])
def test_under_each_kind_of_host_the_notes_outlive_the_process(profile: str, tmp_path: Path) -> None:
    # A zot keeps no folder for data: that is the extension's own.
    example = shutil.copytree(EXAMPLE, tmp_path / "copy")

    def call(tool: str, args: str) -> str:
        return says("extline", "call", "--profile", profile, example, tool, args, home=tmp_path)

    assert call("add_note", '{"text": "milk"}') == "1. milk\n"
    assert call("add_note", '{"text": "bread"}') == "1. milk\n2. bread\n"
    assert call("remove_note", '{"number": 1}') == "1. bread\n"
    assert call("list_notes", "{}") == "1. bread\n"


def test_the_panel_in_an_agent(tmp_path: Path) -> None:
    shown = says(
        "embed-host",
        ROOT / "examples/embed-host/model.json",
        EXAMPLE,
        home=tmp_path,
        typed="/notes\na\nbuy milk\nenter\nesc\n",
    )
    assert "> buy milk" in shown
    assert says("extline", "call", EXAMPLE, "list_notes", "{}", home=tmp_path) == "1. buy milk\n"


def test_it_conforms_at_the_level_of_an_sdk(tmp_path: Path) -> None:
    outcome = run("extline", "conformance", "--level", "sdk", EXAMPLE, home=tmp_path)
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
