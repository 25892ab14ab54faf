"""What handlers keep with their host, under one that keeps it and one that does not."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from extline import Context, Extension, ToolError
from extline.testing import AsyncHost, Host

from program import BUILT, ROOT

from test_docs import fences

ext = Extension("keeper", "1.0.0")


@ext.tool
def count(ctx: Context) -> int:
    """Counts."""
    ctx.state.session.setdefault("n", 0)
    ctx.state.session["n"] += 1
    return int(ctx.state.session["n"])


@ext.tool
def as_a_dict(ctx: Context) -> list[Any]:
    """Does what a dict does."""
    slot = ctx.state.project
    slot["a/1"], slot["a/2"], slot["b"] = 1, None, [1, {"x": "ä"}]
    seen = [list(slot), len(slot), "b" in slot, "c" in slot, slot["b"], slot.get("c", 5)]
    del slot["b"]
    seen += [slot.list("a/"), dict(slot), slot.pop("a/1"), slot.delete("a/1"), slot.delete("a/2")]
    try:
        slot["b"]
    except KeyError as error:
        seen.append(repr(error))
    return seen


@ext.tool
async def count_later(ctx: Context) -> list[Any]:
    """Counts, and awaits."""
    slot = ctx.state.global_
    await slot.set("n", 1)
    seen = [await slot.modify("n", lambda n: n + 1), await slot.get("n"), await slot.list()]
    for wrong in (lambda: slot["n"], lambda: slot.__setitem__("n", 1), lambda: "n" in slot):
        with pytest.raises(TypeError) as caught:
            wrong()
        seen.append(str(caught.value))
    return [*seen, await slot.delete("n")]


@ext.tool
def notes(ctx: Context) -> list[Any]:
    """Adds entries and reads them."""
    first = ctx.history.append("note", {"text": "one"})
    ctx.history.append("other")
    branch = ctx.history.branch(["note"])
    return [first == branch[0]["id"], branch[0]["data"], len(ctx.history.branch()), ctx.history.info()["durable"]]


@ext.tool
async def notes_later(ctx: Context) -> list[Any]:
    """Adds entries and reads them, and awaits."""
    await ctx.history.append("note", 1)
    branch = await ctx.history.branch()
    return [branch[0]["type"], (await ctx.history.info())["project"]]


@ext.tool
def too_much(ctx: Context) -> None:
    """Keeps more than a host takes."""
    ctx.state.session["big"] = "x" * 70_000


def test_values_are_kept_and_a_test_sees_them() -> None:
    with Host(ext, state={"session": {"n": 41}}) as host:
        assert host.call("count").value == 42
        assert host.call("count").value == 43
        assert host.state == {"session": {"n": 43}, "project": {}, "global": {}}
        assert host.call("as_a_dict").value == [
            ["a/1", "a/2", "b"], 3, True, False, [1, {"x": "ä"}], 5,
            ["a/1", "a/2"], {"a/1": 1, "a/2": None}, 1, False, True, "KeyError('b')",
        ]  # fmt: skip
        assert host.call("notes").value == [True, {"text": "one"}, 2, False]


def test_async_handlers_await() -> None:
    async def play() -> None:
        async with AsyncHost(ext, state={}) as host:
            assert (await host.call("count_later")).value == [
                2, 2, ["n"],
                "in an async handler it is `await ctx.state.global_.get('n')`",
                "in an async handler it is `await ctx.state.global_.set('n', ...)`",
                "in an async handler it is `await ctx.state.global_.get('n')`",
                True,
            ]  # fmt: skip
            assert (await host.call("notes_later")).value == ["note", "/testing"]

    asyncio.run(play())


def test_a_limit_and_a_host_without_state_say_what_to_do() -> None:
    with Host(ext, state={}) as host:
        answer = host.call("too_much")
        assert answer.is_error and "70002 bytes, and a value has 65536 at most" in answer.text
    for options in ({}, {"profile": "zot-0.1.62"}):
        with Host(ext, **options) as host:
            answer = host.call("count")
            assert answer.is_error
            assert "this host keeps nothing for extensions: keep it in a file" in answer.text, answer.text


def test_nothing_is_lost_where_somebody_else_sets_it_meanwhile() -> None:
    other = Extension("racer", "1.0.0")

    @other.tool
    def race(ctx: Context) -> list[Any]:
        """Is overtaken once."""
        tries = []

        def change(n: int) -> int:
            if not tries:
                ctx.state.session["n"] = 10
            tries.append(n)
            return n + 1

        return [ctx.state.session.modify("n", change, 0), tries]

    with Host(other, state={}) as host:
        assert host.call("race").value == [11, [0, 10]]


@pytest.mark.parametrize("is_async", [False, True])
def test_values_of_another_version_are_migrated(is_async: bool) -> None:
    later = Extension("later", "2.0.0")

    def migrate(values: dict[str, Any], version: int) -> dict[str, Any]:
        return {"n": values["counter"] + version}

    async def migrate_later(values: dict[str, Any], version: int) -> dict[str, Any]:
        return migrate(values, version)

    later.state(version=2, migrate=migrate_later if is_async else migrate)

    @later.tool
    def read(ctx: Context) -> dict[str, Any]:
        """Reads all."""
        return dict(ctx.state.session)

    with Host(later, state={"slot_version": 1, "session": {"counter": 4}}) as host:
        assert host.call("read").value == {"n": 5}
        assert host.call("read").value == {"n": 5}


def test_values_that_cannot_be_migrated_stay() -> None:
    def fails(values: dict[str, Any], version: int) -> dict[str, Any]:
        raise ToolError.internal("no idea how")

    for migrate, says in ((None, "does not offer"), (fails, "no idea how")):
        later = Extension("later", "2.0.0")
        later.state(version=2, migrate=migrate)

        @later.tool
        def read(ctx: Context) -> Any:
            """Reads it."""
            return ctx.state.session["n"]

        with Host(later, state={"session": {"n": 4}}) as host:
            answer = host.call("read")
            assert answer.is_error and says in answer.text, answer.text
            assert host.state["session"] == {"n": 4}


@pytest.mark.parametrize("version", [0, "2", True, None])
def test_a_version_is_a_number(version: Any) -> None:
    with pytest.raises(TypeError, match="a version is a whole number from 1"):
        Extension("wrong", "1").state(version=version)


def test_the_page(tmp_path: Path) -> None:
    """Under the command: each conversation counts by itself, and goes on where it was."""
    [program] = [text for _, name, text in fences("state.md") if name == "count.py"]
    file = tmp_path / "count.py"
    file.write_text(program)

    def call(*options: str) -> str:
        done = subprocess.run(
            [BUILT / "extline", "call", *options, "count", "--", sys.executable, file],
            env={"EXTLINE_HOME": str(tmp_path / "home"), "PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT / "sdk-python/python")},
            capture_output=True, text=True, timeout=120,
        )  # fmt: skip
        return done.stdout + done.stderr

    assert [call("--session", name) for name in ("a", "a", "b")] == ["1 of 1\n", "2 of 2\n", "1 of 3\n"]
