"""Dialogs of handlers, under a host that has them and one that has not."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from extline import Context, Extension
from extline.testing import AsyncHost, Host

from program import BUILT, ROOT

from test_docs import fences

ext = Extension("ship", "1.0.0")


@ext.tool
def ship(ctx: Context) -> str:
    """Ships it."""
    return "shipped" if ctx.ui.confirm("Ship it?", "To all of them.", timeout=1.5) else "kept"


@ext.tool
async def ship_later(ctx: Context) -> str:
    """Ships it later."""
    return "shipped" if await ctx.ui.confirm("Ship it?") else "kept"


@ext.tool
def choose(ctx: Context, multi: bool = False) -> str:
    """Has something chosen."""
    options = ["north", {"label": "the south", "value": "s"}]
    return repr(ctx.ui.select("Where?", options, multi=multi, initial="s"))


@ext.tool
def name(ctx: Context) -> str:
    """Asks for a name."""
    return repr(ctx.ui.input("Name?", placeholder="Ada", secret=True))


@ext.tool
def which(ctx: Context) -> str:
    """Says what the host has."""
    return " ".join(dialog for dialog in ("confirm", "select", "input") if ctx.ui.can(dialog))


HEADLESS = {"dismissed": "headless"}


def test_what_is_asked_and_what_comes_of_it() -> None:
    asked: list[Any] = []

    def answers(answer: Any) -> Any:
        return lambda params: (asked.append(params), answer)[1]

    methods = {
        "ui.confirm": answers({"confirmed": True}),
        "ui.select": answers({"value": "s"}),
        "ui.input": answers({"value": ""}),
    }
    with Host(ext, methods=methods) as host:
        assert host.call("ship").text == "shipped"
        assert host.call("ship_later").text == "shipped"
        assert host.call("choose").text == "'s'"
        assert host.call("name").text == "''"
        assert host.call("which").text == "confirm select input"
    assert asked == [
        {"title": "Ship it?", "message": "To all of them.", "timeout_ms": 1500},
        {"title": "Ship it?"},
        {"title": "Where?", "options": ["north", {"label": "the south", "value": "s"}], "initial": "s"},
        {"title": "Name?", "placeholder": "Ada", "secret": True},
    ]
    with Host(ext, methods={"ui.select": lambda _: {"values": ["north"]}}) as host:
        assert host.call("choose", multi=True).text == "['north']"


def test_a_closed_dialog_is_no_and_none() -> None:
    methods = {dialog: lambda _: HEADLESS for dialog in ("ui.confirm", "ui.select", "ui.input")}
    with Host(ext, methods=methods) as host:
        assert host.call("ship").text == "kept"
        assert host.call("ship_later").text == "kept"
        for tool in ("choose", "name"):
            assert host.call(tool).text == "None"


def test_under_a_host_without_dialogs_the_line_that_asks_raises() -> None:
    with Host(ext) as host:
        assert host.call("which").text == ""
        answer = host.call("ship")
        assert answer.error and answer.error["kind"] == "unsupported"


@ext.tool
def longer(ctx: Context) -> str:
    """Asks more."""
    text = ctx.ui.editor("Notes?", "draft")
    where = ctx.ui.ask([{"id": "where", "question": "Where?", "options": ["north", "south"]}])
    signed = ctx.ui.auth("https://a.example/device", code="AB-12")
    return repr((text, where, signed))


@ext.tool
def show(ctx: Context) -> str:
    """Shows something."""
    shown = [
        ctx.ui.status("build", "3 of 5"),
        ctx.ui.status("build", None),
        ctx.ui.title("Ship"),
        ctx.ui.working("thinking"),
        ctx.ui.widget("w", ["a", "b"], "below"),
    ]
    return repr(shown)


@ext.tool
async def show_later(ctx: Context) -> str:
    """Shows something, and goes on."""
    return repr(await ctx.ui.status("build", "3 of 5"))


@ext.tool
def hurried(ctx: Context) -> str:
    """Gives nobody time."""
    return str(ctx.ui.confirm("Ship it?", timeout=0))


def test_answers_are_given_dismissed_or_headless() -> None:
    answers = {"confirm": [True, None], "select": ["s", "west"], "input": "Ada"}
    with Host(ext, answers=answers) as host:
        assert [host.call("ship").text for _ in range(3)] == ["shipped", "kept", "kept"]
        assert host.call("choose").text == "'s'"
        unfit = host.call("choose")
        assert unfit.is_error and "no option \"west\"; there are north, s" in unfit.text
        assert host.call("name").text == "'Ada'"
        assert host.call("which").text == "confirm select input"
    with Host(ext, answers="headless") as host:
        assert [host.call(tool).text for tool in ("ship", "ship_later", "choose", "name")] == ["kept", "kept", "None", "None"]
        assert host.call("show").text == "[True, True, True, True, True]"
    with Host(ext, answers={}) as host:
        unanswered = host.call("ship")
        assert unanswered.is_error and "Ship it?" in unanswered.text and "no answer to confirm" in unanswered.text
    with Host(ext, answers={"select": [["north", "s"]]}, methods={"ui.confirm": lambda _: {"confirmed": True}}) as host:
        assert host.call("choose", multi=True).text == "['north', 's']"
        assert host.call("ship").text == "shipped"


def test_answers_to_what_is_no_dialog_are_refused() -> None:
    with pytest.raises(Exception, match="confrim: there is no such dialog, but confirm"):
        Host(ext, answers={"confrim": True})


def test_longer_dialogs_and_what_is_only_shown() -> None:
    answers: Any = {"editor": "a\nb", "ask": {"where": "north"}, "auth": True}
    with Host(ext, answers=answers) as host:
        assert host.call("longer").text == repr(("a\nb", {"where": ["north"]}, True))
        assert host.call("show_later").text == "True"
    with Host(ext) as host:
        assert host.call("show").text == "[False, False, False, False, False]"
        assert host.call("show_later").text == "False"


def test_a_person_without_time_is_the_author_s_mistake() -> None:
    with Host(ext, answers={"confirm": True}) as host:
        answer = host.call("hurried")
        assert answer.is_error
        assert "timeout=0: a person needs more than 0 seconds; leave it out for no end" in answer.text


def test_it_is_awaited_under_an_async_host_too() -> None:
    asyncio.run(under_an_async_host())


async def under_an_async_host() -> None:
    async with AsyncHost(ext, methods={"ui.confirm": lambda _: {"confirmed": True}}) as host:
        assert (await host.call("ship_later")).text == "shipped"


def test_it_asks_as_the_page_says(tmp_path: Path) -> None:
    [program] = [text for _, name, text in fences("asking.md") if name == "ship.py"]
    (tmp_path / "ship.py").write_text(program)
    script = ROOT / "cli/tests/support/ships.py"
    words = [sys.executable, script, BUILT / "extline", "--", sys.executable, tmp_path / "ship.py"]
    env = {**os.environ, "TERM": "xterm", "NO_COLOR": "1", "EXTLINE_HOME": str(tmp_path)}
    done = subprocess.run(words, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_page_holds() -> None:
    sample = next(text for language, _, text in fences("asking.md") if language == "python")
    module: dict[str, Any] = {"__name__": "asking"}
    exec(sample, module)
    answers: Any = {
        "ui.confirm": lambda params: {"confirmed": params["title"] == "Ship it?"},
        "ui.select": lambda params: {"value": params["initial"]},
    }
    with Host(module["ext"], methods=answers) as host:
        assert host.call("ship").text == "shipped to the south"
