"""Actions that handlers propose, and their resolution."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from extline import Context, Extension, ToolError, ToolResult
from extline.testing import AsyncHost, Host

from program import BUILT

from test_docs import fences

ext = Extension("edits", "1.0.0")
seen: list[Any] = []
fails = [True]


@ext.tool
def edit(ctx: Context, how: str = "") -> str:
    """Proposes edits."""

    def write(reason: str, ctx: Context) -> Any:
        if how == "fails once" and fails:
            fails.pop()
            raise OSError("the disk is full")
        if how == "bad":
            return ToolResult("three of twelve are wrong", is_error=True)
        if how == "value":
            return {"wrote": 12}
        return f"wrote 12 edits: {reason}"

    reject = (lambda reason: seen.append(reason)) if how == "cleaned" else None
    id = ctx.pending.push(f"12 edits {how}".strip(), apply=write, reject=reject, summary="a.txt", details={"n": 12})
    return f"{id}: would edit"


@ext.tool
def wrong(ctx: Context, which: int) -> str:
    """Proposes what is none."""
    if which == 0:
        ctx.pending.push("a", apply="write")  # type: ignore[arg-type]
    if which == 1:

        async def later() -> str:
            return "done"

        ctx.pending.push("a", apply=later)
    try:
        ctx.pending.push("a" * 2000, apply=lambda: None)
    except ToolError as error:
        return f"{error.kind}: {ctx.host.serves('pending.push')}"
    return "pushed"


def test_what_is_proposed_is_applied_though_it_fails_once() -> None:
    with Host(ext, pending=True) as host:
        assert host.call("edit", how="fails once").text == "action_1: would edit"
        [action] = host.pending
        assert action == {"id": "action_1", "label": "12 edits fails once", "summary": "a.txt", "details": {"n": 12}}
        failed = host.resolve("apply", "looks right")
        assert failed.is_error and "OSError: the disk is full" in failed.text, failed.text
        assert "is still pending" in failed.text
        assert host.resolve("apply", "again").text == "wrote 12 edits: again"
        assert host.pending == []
        assert host.resolve("apply").is_error
        assert not host.resolve("discard").is_error


def test_what_it_returns_is_what_a_tool_may_return() -> None:
    with Host(ext, pending=True) as host:
        host.call("edit", how="value")
        assert host.resolve("apply").value == {"wrote": 12}
        host.call("edit", how="bad")
        assert "three of twelve are wrong" in host.resolve("apply").text
        # It is still pending, and nobody wants to know that it is not wanted.
        assert host.resolve("discard", "no").text == "Discarded: 12 edits bad. Reason: no"
        host.call("edit", how="cleaned")
        host.resolve("discard", "not this one")
        assert seen == ["not this one"]


def test_it_is_awaited_in_an_async_handler() -> None:
    later = Extension("later", "1.0.0")

    @later.tool
    async def edit(ctx: Context) -> str:
        """Proposes."""

        async def write() -> str:
            await asyncio.sleep(0)
            return "wrote"

        return str(await ctx.pending.push("edits", apply=write))

    async def under_an_async_host() -> str:
        async with AsyncHost(later, pending=True) as host:
            assert (await host.call("edit")).text == "action_1"
            return (await host.resolve("apply")).text

    assert asyncio.run(under_an_async_host()) == "wrote"


@pytest.mark.parametrize(
    ("which", "said"),
    [(0, "must be a function, and is 'write'"), (1, "needs the event loop from the start"), (2, "validation: True")],
)
def test_mistakes_are_told_in_the_author_s_words(which: int, said: str) -> None:
    with Host(ext, pending=True) as host:
        assert said in host.call("wrong", which=which).text
        assert host.pending == []


def test_a_host_that_takes_none_says_so_at_once() -> None:
    with Host(ext) as host:
        assert host.call("wrong", which=2).text == "unsupported: False"


def test_the_page_holds(tmp_path: Path) -> None:
    for _, name, text in fences("pending-actions.md"):
        if name.endswith(".py"):
            (tmp_path / name).write_text(text)
    for number in range(12):
        (tmp_path / f"{number}.txt").write_text("one")
    lines = '!replace {"old":"one","new":"two"}\n!resolve {"action":"apply","reason":"fine"}\n'
    env = {**os.environ, "EXTLINE_HOME": str(tmp_path / "home")}
    words = [BUILT / "extline", "run", "--", sys.executable, "edits.py"]
    done = subprocess.run(words, cwd=tmp_path, env=env, input=lines, capture_output=True, text=True, check=False)
    assert (done.returncode, "wrote 12 files" in done.stdout) == (0, True), done
    assert (tmp_path / "11.txt").read_text() == "two"
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_edits.py"]
    tested = subprocess.run(words, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert tested.returncode == 0, tested.stdout
