"""Secrets and variables, under a host that has them and one that has not."""

from __future__ import annotations

import copy
import json
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from extline import Context, Extension, Secret
from extline.testing import Host

from program import BUILT

from test_docs import fences

ext = Extension("weather", "1.0.0")


@ext.tool
def ask(ctx: Context, name: str) -> str:
    """Asks."""
    key = ctx.secret(name, "to ask")
    assert isinstance(key, Secret)
    return f"{key} {key!r} {key.reveal()}"


@ext.tool
async def ask_later(ctx: Context, name: str) -> str:
    """Asks later."""
    return (await ctx.secret(name)).reveal()


@ext.tool
def variable(ctx: Context, name: str) -> str:
    """Gives a variable."""
    value: str = ctx.env(name)
    return value


@ext.tool
async def variable_later(ctx: Context, name: str) -> str:
    """Gives a variable later."""
    value: str = await ctx.env(name)
    return value


def kind(host: Host, tool: str, name: str) -> Any:
    answer = host.call(tool, name=name)
    assert answer.is_error and answer.error is not None
    return answer.error["kind"]


def test_what_is_given() -> None:
    with Host(ext, secrets={"KEY": "swordfish", "NONE": None}) as host:
        assert host.call("ask", name="KEY").text == "*** Secret(***) swordfish"
        for tool in ["ask_later", "variable", "variable_later"]:
            assert host.call(tool, name="KEY").text == "swordfish"
        for tool in ["ask", "ask_later", "variable", "variable_later"]:
            assert kind(host, tool, "NONE") == "not_found"
            assert kind(host, tool, "OTHER") == "permission"


def test_under_a_host_without_secrets_it_is_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEY_OF_TEST", "swordfish")
    monkeypatch.delenv("NONE_OF_TEST", raising=False)
    with Host(ext) as host:
        assert host.call("ask", name="KEY_OF_TEST").text == "*** Secret(***) swordfish"
        for tool in ["ask_later", "variable", "variable_later"]:
            assert host.call(tool, name="KEY_OF_TEST").text == "swordfish"
            assert kind(host, tool, "NONE_OF_TEST") == "not_found"
        assert "set the environment variable NONE_OF_TEST" in host.call("ask", name="NONE_OF_TEST").text


def test_a_secret_is_printed_and_passed_on_nowhere() -> None:
    secret = Secret("swordfish")
    assert f"{secret} {secret:>5} {secret!r} {[secret]}" == "***   *** Secret(***) [Secret(***)]"
    assert secret == Secret("swordfish") and secret != Secret("swordfisk") and secret != "swordfish"
    assert len({secret, Secret("swordfish")}) == 1
    assert copy.deepcopy([secret]) == [secret]
    with pytest.raises(TypeError):
        json.dumps({"key": secret})
    with pytest.raises(TypeError, match="a Secret is not pickled"):
        pickle.dumps(secret)
    assert not hasattr(secret, "__dict__")


def test_what_is_wrong_is_told_at_the_author_s_line() -> None:
    with pytest.raises(Exception, match="/KEY: a secret is a text"):
        Host(ext, secrets={"KEY": 5})  # type: ignore[dict-item]


def test_the_page_holds(tmp_path: Path) -> None:
    blocks = list(fences("secrets.md"))
    for _, name, text in blocks:
        if name in ("extension.json", "weather.py"):
            (tmp_path / name).write_text(text)
    path = f"{BUILT}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "NO_COLOR": "1", "EXTLINE_HOME": str(tmp_path / "home")}
    [console] = [text for language, _, text in blocks if language == "console"]
    commands = console.split("$ ")[1:]
    assert len(commands) >= 6
    for command in commands:
        line, _, output = command.partition("\n")
        done = subprocess.run(
            ["sh", "-c", line], cwd=tmp_path, env=env, capture_output=True, text=True, check=False
        )
        assert (done.stdout, done.returncode) == (output, 0), (line, done.stderr)
    trace = (tmp_path / "trace.jsonl").read_text()
    assert "***" in trace and "swordfish-7" not in trace
