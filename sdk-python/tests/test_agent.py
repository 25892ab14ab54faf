"""How the agent stands, and what handlers have it do."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from extline import Context, Extension, ToolError
from extline.testing import AsyncHost, Host

from program import BUILT

from test_docs import fences

ext = Extension("plan", "1.0.0")


@ext.tool
def all_of_it(ctx: Context) -> Any:
    """Asks for all there is."""
    state = ctx.agent.state()
    tools = ctx.agent.tools()
    changed = [ctx.agent.deactivate(["a"]), ctx.agent.activate(("b",))]
    return [state["model"], tools, changed, ctx.agent.models(), ctx.agent.abort("enough")]


@ext.tool
async def later(ctx: Context) -> str:
    """Asks and waits."""
    state = await ctx.agent.state()
    return str(state["idle"])


@ext.tool
def wrong(ctx: Context, which: int) -> str:
    """Asks for what is none."""
    if which == 0:
        ctx.agent.deactivate("write")
    try:
        ctx.agent.state()
    except ToolError as error:
        return error.kind
    return "asked"


def test_what_is_said_goes_to_the_host_and_comes_back() -> None:
    asked: list[Any] = []

    def method(name: str, answer: Any) -> Any:
        return lambda params: (asked.append((name, params)), answer)[1]

    tool = {"name": "a", "description": "", "active": True}
    answers: dict[str, Any] = {
        "agent.state": {"idle": False, "model": "m-1"},
        "tools.list": {"tools": [tool]},
        "tools.deactivate": {"changed": ["a"]},
        "tools.activate": {"changed": []},
        "models.list": {"models": [{"id": "m-1", "provider": "p", "current": True}]},
        "agent.abort": {"calls": 2},
    }
    with Host(ext, methods={name: method(name, answer) for name, answer in answers.items()}) as host:
        said = host.call("all_of_it").value
        assert said == ["m-1", [tool], [["a"], []], answers["models.list"]["models"], 2]
        assert ("tools.activate", {"names": ["b"]}) in asked
        assert ("agent.abort", {"reason": "enough"}) in asked
        assert "the names of tools are a list: ['write']" in host.call("wrong", which=0).text

    async def under_an_async_host() -> str:
        async with AsyncHost(ext, methods={"agent.state": lambda _: {"idle": True}}) as host:
            return (await host.call("later")).text

    assert asyncio.run(under_an_async_host()) == "True"
    with Host(ext) as host:
        assert host.call("wrong", which=1).text == "unsupported"


def test_the_page_holds(tmp_path: Path) -> None:
    [program] = [text for _, name, text in fences("agent-state.md") if name == "plan.py"]
    (tmp_path / "plan.py").write_text(program)
    lines = '!plan {"on":true}\n:tools\n!write\n!plan {"on":false}\n!write\n'
    env = {**os.environ, "EXTLINE_HOME": str(tmp_path / "home")}
    words = [BUILT / "extline", "run", "--", sys.executable, "plan.py"]
    done = subprocess.run(words, cwd=tmp_path, env=env, input=lines, capture_output=True, text=True, check=False)
    said = done.stdout
    assert "off: write" in said and "on: write" in said and "wrote" in said, done
    assert "write is not active: plan has deactivated it" in said + done.stderr, done
