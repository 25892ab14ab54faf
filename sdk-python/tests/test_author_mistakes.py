"""What an author gets wrong at run time is an error at the line, in an author's words."""

from __future__ import annotations

import datetime
import enum
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import Any

import pytest
from extline import DefinitionError, Extension, Panel, ToolError, ToolResult
from extline.testing import Host
from wire import PACKAGE, text


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"exposure": "hidden"}, "exposure is 'direct', 'codemode', 'deferred' or 'model-only', and not 'hidden'"),
        ({"approval": {"tier": "nuclear"}}, "the tier of an approval is 'read', 'write' or 'exec', and not 'nuclear'"),
        ({"approval": {"foo": 1}}, "approval has no 'foo'; it has gated, tier, key, reason"),
        ({"approval": {"gated": "yes"}}, "approval['gated'] is a bool, and not 'yes'"),
        ({"gated": "yes"}, "gated is True, False or a function of the arguments, and not 'yes'"),
        ({"read_only": "yes"}, "read_only is True or False, and not 'yes'"),
    ],
)
def test_an_option_that_no_host_understands_is_refused(options: dict[str, Any], told: str) -> None:
    with pytest.raises(DefinitionError) as raised:
        Extension("x").tool(name="f", **options)(lambda: 1)
    assert told in str(raised.value)


def test_a_value_that_is_none_of_its_set_is_refused_where_it_stands() -> None:
    with pytest.raises(ValueError, match="there is no kind 'bogus'; there are validation, not_found"):
        ToolError.of_kind("bogus", "no")
    with pytest.raises(ValueError, match="trust is 'trusted' or 'untrusted', and not 'some'"):
        ToolResult("x", trust="some")
    with pytest.raises(TypeError, match="activate is a list of names"):
        ToolResult("x", activate="other")
    with pytest.raises(TypeError, match=r"lines are a list of str, one for each line: lines=\['abc'\]"):
        Panel("p", lines="abc")
    with pytest.raises(TypeError, match="lines are a list of str, and there is 5 in it"):
        Panel("p", lines=["a", 5])  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("ctx.log('x', level='loud')", 'the level is "debug", "info", "warn" or "error", and not "loud"'),
        ("ctx.notify('x', level='warning')", 'and not "warning", so level="warn"'),
        ("ext.notify('x', level='loud')", 'the level is "info", "success", "warn" or "error"'),
        ("ext.log('x', level='success')", 'and not "success"'),
        ("ctx.panel('p').open(lines='abc')", "lines are a list of str"),
    ],
)
def test_what_is_said_with_another_level_is_refused(start, line: str, told: str) -> None:
    peer = start(f"@ext.tool\ndef say(ctx): {line}")
    assert told in text(peer.call("say"))


def test_a_parameter_that_is_described_and_is_not_there_is_refused() -> None:
    ext = Extension("x")

    def google(city: str, ctx: Any) -> None:
        """Weather.

        Args:
            citty: Which city
        """

    def sphinx(city: str) -> None:
        """Weather.

        :param town: Which city
        """

    def numpy(city: str) -> None:
        """Weather.

        Parameters
        ----------
        town : str
            Which city
        """

    def right(city: str, ctx: Any, **rest: int) -> None:
        """Weather.

        Args:
            city: Which city
                Note: it goes on
            ctx: The context
            more: Anything
        """

    for function, name in ((google, "citty"), (sphinx, "town"), (numpy, "town")):
        with pytest.raises(DefinitionError, match=f"describes '{name}', which is no parameter; there are city"):
            ext.tool(function)
    ext.tool(right)


def test_a_command_is_given_one_str_and_says_so_where_it_is_defined(start) -> None:
    ext = Extension("x")
    for annotation in ("int", "list[str]", "'float'"):
        space: dict[str, Any] = {}
        exec(f"def c(n: {annotation} = 3): ...", space)
        with pytest.raises(DefinitionError, match="parameter n: a command is given what the user typed"):
            ext.command(space["c"])
    peer = start(
        """
        @ext.command
        def days(args: "str" = "three"): return args
        """
    )
    assert peer.command("days")["display"] == "three"
    assert peer.command("days", "two")["display"] == "two"


# Half of a character stands in every text, as the names of files may have it.
@pytest.mark.parametrize("keyword", ["def", "async def"])
def test_half_a_character_costs_no_error_its_kind_and_no_note_its_text(start, keyword: str) -> None:
    peer = start(
        rf"""
        BAD = "a\udcffb"

        @ext.tool
        {keyword} missing(): raise ToolError.not_found(BAD, hint=BAD, field="/" + BAD, causes=[BAD])

        @ext.tool
        {keyword} broken(): raise ValueError(BAD)

        @ext.tool
        {keyword} say(ctx):
            ctx.notify(BAD)
            ctx.update(BAD, unit=BAD, text=BAD)
            ctx.log(BAD)
            ctx.submit(BAD)
            ext.notify(BAD)

        @ext.command
        {keyword} fails(): raise ToolError(BAD)

        @ext.guard
        {keyword} no(call): raise ValueError(BAD)
        """,
        capabilities=["log", "tool_update"],
    )
    error = peer.call("missing")["error"]
    mended = "a\ufffdb"
    assert (error["kind"], error["message"], error["hint"]) == ("not_found", mended, mended)
    assert (error["field"], error["causes"]) == (f"/{mended}", [mended])
    assert f"ValueError: {mended}" in peer.call("broken")["error"]["message"]
    peer.begin("say")
    assert peer.next("notify")["message"] == mended
    while (frame := peer.next())["type"] != "tool_result":
        assert mended in str(frame)
    assert "is_error" not in frame
    assert peer.command("fails")["error"] == mended
    assert mended in peer.intercept("tool_call", tool_name="bash")["reason"]


@pytest.mark.parametrize("keyword", ["def", "async def"])
@pytest.mark.parametrize(
    ("returned", "told"),
    [
        ("(n for n in [1])", "/..? ?generator is no JSON value: make a list of it, list"),
        ("[map(str, [1])]", "/0: map is no JSON value: make a list of it"),
        ("['a', image(b'', 'image/png')]", r"several texts and images are ToolResult\(\[...\]\)"),
        ("ToolResult([5])", "content is str and image"),
        ("float('nan')", "NaN"),
        ("Response.prompt('x')", "a Response is what a command answers: return a str, a JSON value"),
    ],
)
def test_a_result_that_cannot_be_sent_names_the_tool_and_its_line(
    start, keyword: str, returned: str, told: str
) -> None:
    peer = start(f"@ext.tool\n{keyword} give():\n    return {returned}")
    failed = text(peer.call("give"))
    assert "extension_under_test.py:3 returned what cannot be sent: " in failed
    assert told.rpartition("?")[2].replace("\\", "") in failed
    # None of it is the author's, so there is no traceback.
    assert "Traceback" not in peer.stderr()


def test_an_object_of_the_authors_that_fails_to_become_json_has_its_traceback(start) -> None:
    peer = start(
        """
        import os
        class Odd(os.PathLike):
            def __fspath__(self): raise KeyError("odd")
        @ext.tool
        def give(): return [Odd()]
        """
    )
    assert "KeyError: 'odd'" in text(peer.call("give"))
    assert "in __fspath__" in peer.stderr()


@pytest.mark.parametrize("other", ["", "@ext.tool\nasync def other(): ..."])
@pytest.mark.parametrize(
    ("source", "end"),
    [
        ("def steps():\n  yield 'one'\n  yield 'two'", "end it with `return`"),
        ("async def steps():\n  yield Update('one')", "yield the answer last"),
    ],
)
def test_a_generator_that_yields_and_gives_no_answer_is_told(
    start, other: str, source: str, end: str
) -> None:
    peer = start(f"@ext.tool\n{source}\n{other}")
    peer.begin("steps")
    while (frame := peer.next())["type"] != "tool_result":
        assert frame["type"] == "tool_update"
    assert frame["is_error"] is True
    assert f"yielded what are updates, and returned no answer: {end}" in text(frame)


@pytest.mark.parametrize("keyword", ["def", "async def"])
def test_what_led_to_an_exception_is_told(start, keyword: str) -> None:
    peer = start(
        f"""
        class Group(Exception):
            exceptions = (ValueError("one"), KeyError("two"))

        def fetch():
            try: raise OSError("connection refused")
            except OSError as error: raise RuntimeError("fetch failed") from error

        @ext.tool
        {keyword} chain(): fetch()

        @ext.tool
        {keyword} group(): raise Group("many")

        @ext.tool
        {keyword} ring():
            error = ValueError("ring")
            error.__cause__ = RuntimeError("behind")
            error.__cause__.__cause__ = error
            raise error

        @ext.command
        {keyword} report(): fetch()

        @ext.intercept("assistant_message")
        {keyword} polite(message): fetch()

        @ext.guard
        {keyword} careful(call): fetch()
        """
    )
    why = "RuntimeError: fetch failed\ncaused by: OSError: connection refused"
    blocked = peer.intercept("tool_call", phase="guard", tool_name="ls", tool_args={})
    assert blocked["reason"] == f"guard careful failed: {why}"
    blocked = peer.intercept("assistant_message", text="hi")
    assert blocked["reason"] == f"interceptor of assistant_message failed: {why}"
    chain = peer.call("chain")
    assert chain["error"]["causes"] == ["OSError: connection refused"]
    assert text(chain) == "tool chain failed: RuntimeError: fetch failed\ncaused by: OSError: connection refused"
    assert peer.call("group")["error"]["causes"] == ["ValueError: one", "KeyError: 'two'"]
    assert peer.call("ring")["error"]["causes"] == ["RuntimeError: behind"]
    assert peer.command("report")["error"] == "fetch failed\ncaused by: OSError: connection refused"


class Color(enum.Enum):
    RED = "r"
    BLUE = "b"


@dataclass
class Meeting:
    when: datetime.datetime
    others: list[datetime.datetime]


def test_a_datetime_is_one_wherever_it_stands_and_an_enum_as_key_is_named() -> None:
    ext = Extension("x")

    @ext.tool
    def plan(meeting: Meeting, at: datetime.datetime) -> None: ...

    @ext.tool
    def count(colors: dict[Color, int]) -> None: ...

    with Host(ext) as host:
        schemas = {tool["name"]: tool["schema"]["properties"] for tool in host.tools}
        refused = host.call("count", colors={"x": 1})
    fields = schemas["plan"]["meeting"]["properties"]
    dated = {"type": "string", "format": "date-time"}
    assert fields == {"when": dated, "others": {"type": "array", "items": dated}}
    assert schemas["plan"]["at"] == dated
    assert refused.text == 'invalid arguments: /colors/x: the name must be one of "b", "r"; is "x"'
    assert schemas["count"]["colors"]["propertyNames"]["enum"] == ["b", "r"]


def test_a_mistake_in_a_definition_shows_the_authors_lines_alone(start, tmp_path) -> None:
    for number, line in enumerate(
        ["@ext.tool\ndef f(*all): ...", "@ext.tool(nme='x')\ndef f(): ...", "ext.on(5)", "ext.tool(name='a b')(print)",
         "@ext.intercept('toolcall')\ndef f(call): ...", "@ext.command('a')\ndef f(a, b): ..."]
    ):  # fmt: skip
        file = tmp_path / f"w{number}.py"
        file.write_text(f"from extline import Extension\next = Extension('w')\n{line}\n")
        done = subprocess.run(
            [sys.executable, file], env={"PYTHONPATH": str(PACKAGE)}, capture_output=True, text=True, check=False
        )
        frames = [one for one in done.stderr.splitlines() if one.lstrip().startswith("File ")]
        assert len(frames) == 1, done.stderr
        assert str(file) in frames[0]
        assert "Traceback" in done.stderr


def test_a_context_says_that_its_call_or_its_session_is_over(start) -> None:
    ext = Extension("x")
    kept: list[Any] = []

    @ext.tool
    def keep(ctx) -> None:
        kept.append(ctx)

    with Host(ext) as host:
        host.call("keep")
        [ctx] = kept
        for late in (lambda: ctx.update("on"), lambda: ctx.call_tool("x"), lambda: ctx.request("m")):
            with pytest.raises(RuntimeError, match="the handler of this ctx has ended"):
                late()
        ctx.notify("it may say so")
        host.wait_until("the note", lambda host: host.notes)
        panel = ctx.panel("p")
    for late in (
        lambda: ctx.notify("x"),
        lambda: ctx.log("x"),
        lambda: ctx.submit("x"),
        lambda: panel.open(title="t"),
        lambda: ctx.panel("p").open(title="t"),
        lambda: ctx.host,
    ):
        with pytest.raises(RuntimeError, match="the session has ended"):
            late()


@pytest.mark.parametrize("other", ["", "@ext.tool\nasync def other(): ..."])
def test_who_goes_on_after_the_cancel_is_told_with_the_line(start, other: str) -> None:
    peer = start(
        f"""
import time

@ext.tool
def spin(ctx):
    ctx.notify("begun")
    while not ext.is_to_stop:
        pass

ext.is_to_stop = False
@ext.command
def stop(): ext.is_to_stop = True

{other}
"""
    )
    peer.begin("spin")
    peer.next("notify")
    peer.send({"type": "tool_cancel", "id": "1"})
    until = time.monotonic() + 60
    while not re.search(r"line \d+, in spin\n", peer.stderr()) and time.monotonic() < until:
        time.sleep(0.05)
    peer.send({"type": "command_invoked", "id": "2", "name": "stop", "args": ""})
    said = peer.stderr()
    assert "tool spin was cancelled, by the user, at its deadline or at the end, and goes on at " in said
    assert re.search(r"line \d+, in spin\n", said), said
    assert "timeout=SECONDS" in said


def test_an_async_handler_that_blocks_the_loop_is_named(start, tmp_path) -> None:
    warned_of = tmp_path / "warned"
    peer = start(
        f"""
        import os, time
        @ext.tool
        async def wait(ctx):
            ctx.notify("begun")
            while not os.path.exists({str(warned_of)!r}): time.sleep(0.01)

        @ext.tool
        def ping(): return "pong"
        """,
        capabilities=["log"],
    )
    peer.begin("wait", "1")
    peer.next("notify")
    peer.begin("ping", "2")
    warned = peer.next("log")
    warned_of.touch()
    assert warned["level"] == "warn"
    assert warned["message"].startswith("wait has kept the event loop for a second at ")
    assert "time.sleep(0.01)" in warned["message"]
    assert {peer.next("tool_result")["id"], peer.next("tool_result")["id"]} == {"1", "2"}


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ("ext.run()\n@ext.tool\ndef late(): ...", "the tool late comes behind ext.run()"),
        ("ext.run()\next.run()", "this extension has run already, and its session is over"),
        ("other = Extension('other')\next.run()", "made the extensions w, other, and one process is one"),
        ("ext.run()\next.notify('x')", "the session has ended, so that there is no host any more"),
    ],
)
@pytest.mark.parametrize("first", ["", "@ext.tool\nasync def a(): ...\n"])
def test_what_comes_behind_the_run_or_beside_it_is_an_error(
    tmp_path, first: str, lines: str, told: str
) -> None:
    file = tmp_path / "w.py"
    file.write_text(f"from extline import Extension\next = Extension('w')\n{first}{lines}\n")
    done = subprocess.run(
        [sys.executable, file],
        env={"PYTHONPATH": str(PACKAGE)},
        input='{"type":"hello_ack","protocol_version":1}\n{"type":"shutdown"}\n',
        capture_output=True,
        text=True,
        check=False,
    )
    assert told in done.stderr
    assert done.returncode == 1
