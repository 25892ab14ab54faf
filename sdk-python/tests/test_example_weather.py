"""The example weather-python under the real host, as the README says."""

from __future__ import annotations

from pathlib import Path

import pytest
from program import ROOT, run, says

EXAMPLE = ROOT / "examples" / "weather-python"


@pytest.mark.parametrize("profile", ["spec", "zot-0.1.62"])
def test_it_answers_its_tool_and_its_command(profile: str, tmp_path: Path) -> None:
    of = ("--profile", profile, EXAMPLE)
    called = says("extline", "call", *of, "weather", '{"city": "Berlin"}', home=tmp_path)
    assert called == "Berlin: 16°C, fog\n"
    refused = run("extline", "call", *of, "weather", '{"city": "Atlantis"}', home=tmp_path)
    assert refused.returncode != 0
    assert "no such city" in refused.stdout + refused.stderr
    commanded = says("extline", "command", *of, "weather", "Berlin", home=tmp_path)
    assert commanded == "prompt: Show today's weather for Berlin in one line.\n"


def test_in_a_session_of_the_console(tmp_path: Path) -> None:
    typed = '!weather {"city":"Berlin"}\n/weather Oslo\n'
    shown = says("extline", "run", EXAMPLE, home=tmp_path, typed=typed)
    assert "Berlin: 16°C, fog" in shown
    assert "prompt: Show today's weather for Oslo in one line." in shown
    assert "no process left" in shown


def test_a_recorded_session_is_played_to_it_again(tmp_path: Path) -> None:
    trace = tmp_path / "session.ndjson"
    typed = '!weather {"city":"Berlin"}\n/weather Berlin\n!weather {"city":"Atlantis"}\n'
    recorded = run("extline", "record", trace, EXAMPLE, home=tmp_path, typed=typed)
    assert "Berlin: 16°C, fog" in recorded.stdout, recorded
    assert "no such city" in recorded.stdout + recorded.stderr, recorded
    replayed = says("extline", "conformance", "replay", trace, EXAMPLE, home=tmp_path)
    assert "\nconformant: " in replayed


def test_it_conforms_at_the_level_of_an_sdk(tmp_path: Path) -> None:
    outcome = run("extline", "conformance", "--level", "sdk", EXAMPLE, home=tmp_path)
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
