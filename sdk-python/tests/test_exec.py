"""Programs that the host runs for a handler."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import extline
import pytest
from extline import Context, Extension, ToolError
from extline.testing import AsyncHost, Host

from program import BUILT

from test_docs import fences

ext = Extension("files", "1.0.0")


@ext.tool
def files(ctx: Context) -> str:
    """Lists files."""
    ran: extline.Ran = ctx.exec("git", ["ls-files"], cwd=Path("below"), env={"A": None}, stdin="x", timeout=1.5, max_bytes=9)
    return repr((ran.ok, ran.code, ran.signal, ran.stdout, ran.stderr, ran.timed_out, ran.truncated, ran))


@ext.tool
async def files_later(ctx: Context) -> str:
    """Lists files."""
    texts: list[tuple[str, str]] = []
    ran = await ctx.exec("ls", on_output=lambda text, stream: texts.append((text, stream)))
    return repr((texts, ran.ok))


@ext.tool
def wrong(ctx: Context, which: int) -> str:
    """Runs what is none."""
    if which == 0:
        ctx.exec("ls", "-l")
    if which == 1:
        ctx.exec("ls", timeout=0)
    try:
        ctx.exec("ls")
    except ToolError as error:
        return f"{error.kind}: {ctx.host.serves('exec.run')}"
    return "ran"


def test_what_is_said_goes_to_the_host_and_comes_back_as_a_result() -> None:
    asked: list[Any] = []

    def run(params: Any) -> Any:
        asked.append(params)
        return {"code": 3, "stdout": "a\n", "stderr": "b", "timed_out": False, "truncated": True}

    with Host(ext, methods={"exec.run": run}) as host:
        said = host.call("files").text
    assert said == "(False, 3, None, 'a\\n', 'b', False, True, <extline.Ran code=3>)"
    assert asked == [
        {
            "command": "git",
            "args": ["ls-files"],
            "cwd": "below",
            "env": {"A": None},
            "stdin": "x",
            "timeout_ms": 1500,
            "max_bytes": 9,
        }
    ]
    with Host(ext, methods={"exec.run": lambda _: {"signal": "SIGKILL", "timed_out": True}}) as host:
        assert host.call("files").text == "(False, None, 'SIGKILL', '', '', True, False, <extline.Ran signal='SIGKILL'>)"


def test_it_is_awaited_and_hands_out_what_is_written() -> None:
    def run(params: Any) -> Any:
        assert params["stream"] is True
        yield {"stream": "stdout", "text": "a"}
        yield {"stream": "stderr", "text": "b"}
        return {"code": 0}

    async def under_an_async_host() -> str:
        async with AsyncHost(ext, methods={"exec.run": run}) as host:
            return (await host.call("files_later")).text

    assert asyncio.run(under_an_async_host()) == "([('a', 'stdout'), ('b', 'stderr')], True)"


@pytest.mark.parametrize(
    ("which", "said"),
    [(0, "takes a list of arguments, as ['-l']"), (1, "a program needs more than 0 seconds"), (2, "unsupported: False")],
)
def test_mistakes_are_told_in_the_author_s_words(which: int, said: str) -> None:
    with Host(ext) as host:
        assert said in host.call("wrong", which=which).text


def test_the_page_holds(tmp_path: Path) -> None:
    [program] = [text for _, name, text in fences("running-programs.md") if name == "files.py"]
    (tmp_path / "files.py").write_text(program)
    subprocess.run("git init -q && git add files.py", shell=True, cwd=tmp_path, check=True)
    words = ["call", "files", "--allow", "exec.run(git%20ls-files)", "--", sys.executable, "files.py"]
    env = {**os.environ, "EXTLINE_HOME": str(tmp_path / "home")}
    done = subprocess.run([BUILT / "extline", *words], cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, "files.py" in done.stdout) == (0, True), done


def test_the_sample_of_the_page_holds() -> None:
    [_, sample] = [text for language, _, text in fences("running-programs.md") if language == "python"]
    page = Extension("page", "1.0.0")

    @page.tool
    def build(ctx: Context) -> str:
        """Builds."""
        names: dict[str, Any] = {"ctx": ctx}
        exec(sample, names)
        return f"built: {names['built'].ok}"

    def run(_: Any) -> Any:
        yield {"stream": "stdout", "text": "half\n"}
        return {"code": 0}

    with Host(page, methods={"exec.run": run}) as host:
        assert host.call("build").text == "built: True"
