"""Commands, events, interceptors, guards, panels, notes and logs; and mistakes where they are made."""

from __future__ import annotations

import pytest
from extline import DefinitionError, Extension, Response
from extline.testing import Host
from wire import text


def test_commands_answer_what_their_functions_return(start) -> None:
    peer = start(
        """
        @ext.command("Say", "says it", usage="WORDS")
        def say(args): return args

        @ext.command
        def ask():
            "Asks the model.

            At length."
            return Response.prompt("well?")

        @ext.command("put")
        def put(args, ctx): return Response.insert(f"{ctx.call_id}{args}")

        @ext.command("nothing")
        def nothing(): pass

        @ext.command("odd")
        def odd(): return 5

        @ext.command("bad")
        def bad(): raise ToolError("which?", hint="say it")

        @ext.command("as_tool")
        def as_tool(): return Response.tool_prompt("t", {"a": 1}, "call t")
        """.replace('"Asks', '"""Asks').replace('length."', 'length."""')
    )
    assert peer.start[1:3] == [
        {"type": "register_command", "name": "Say", "description": "says it", "usage": "WORDS"},
        {"type": "register_command", "name": "ask", "description": "Asks the model."},
    ]
    # Matched without regard to case.
    assert peer.command("say", "hi")["display"] == "hi"
    assert peer.command("ask")["prompt"] == "well?"
    assert peer.command("put", "x")["insert"] == "1x"
    assert peer.command("nothing") == {"type": "command_response", "id": "1", "action": "noop"}
    assert "Response, a str or None" in peer.command("odd")["error"]
    assert peer.command("bad")["error"] == "which?\nhint: say it"
    # The host does not say that it knows tool_prompt.
    assert peer.command("as_tool")["action"] == "prompt"


INTERCEPTS = """
    @ext.intercept("tool_call")
    def first(call):
        if call.tool == "stop": return call.block("stopped")
        if call.tool == "fail": raise ValueError("broken")
        if call.tool == "bash": return call.rewrite({**call.args, "first": True})

    @ext.intercept("tool_call")
    def second(call, ctx):
        if call.tool == "bash": return call.rewrite({**call.args, "second": call.args["first"]})

    @ext.guard
    def careful(call):
        if call.tool == "crash": raise RuntimeError("guard is broken")
        if call.tool == "rewrite": return call.rewrite({})
        if call.args.get("second") and call.args.get("rm"): return call.block("no rm")

    @ext.intercept("assistant_message")
    def polite(message): return message.replace(message.text.replace("damn", "d***"))

    @ext.intercept("before_agent_start")
    def prompt(start): return start.system_prompt(start.current_prompt + "!")

    @ext.intercept("turn_start", on_failure="allow")
    def turn(moment): raise ValueError(moment.step)
"""


def test_interceptors_rewrite_in_order_and_guards_see_the_last(start) -> None:
    peer = start(INTERCEPTS)
    rewritten = peer.intercept("tool_call", tool_name="bash", tool_args={"a": 1})
    assert rewritten["modified_args"] == {"a": 1, "first": True, "second": True}
    blocked = peer.intercept("tool_call", tool_name="bash", tool_args={"rm": 1})
    assert (blocked["block"], blocked["reason"]) == (True, "no rm")
    assert peer.intercept("tool_call", tool_name="stop")["reason"] == "stopped"
    assert peer.intercept("tool_call", tool_name="ls") == {
        "type": "event_intercept_response",
        "id": "1",
    }
    assert peer.intercept("assistant_message", text="damn it")["replace_text"] == "d*** it"
    assert peer.intercept("before_agent_start", system_prompt="Be kind")["system_prompt"] == "Be kind!"


@pytest.mark.parametrize(
    ("tool", "part"), [("fail", "broken"), ("crash", "guard is broken"), ("rewrite", "only block")]
)
def test_what_fails_blocks_unless_its_author_says_otherwise(start, tool: str, part: str) -> None:
    peer = start(INTERCEPTS)
    failed = peer.intercept("tool_call", tool_name=tool, tool_args={})
    assert failed["block"] is True
    assert part in failed["reason"]
    assert "block" not in peer.intercept("turn_start", step=3)
    assert "ValueError: 3" in peer.stderr()


@pytest.mark.parametrize("mode", [None, "block", "allow"])
def test_a_guard_alone_says_what_its_failure_means(start, mode: str | None) -> None:
    peer = start(
        f"""
        @ext.guard(on_failure={mode!r})
        def broken(call): raise KeyError("no")

        @ext.guard
        def behind(call): return call.block("no cats") if call.tool == "cat" else None
        """
    )
    subscribed = next(frame for frame in peer.start if frame["type"] == "subscribe")
    assert subscribed.get("on_failure") == ({"tool_call": mode} if mode else None)
    failed = peer.intercept("tool_call", phase="guard", tool_name="ls", tool_args={})
    assert failed.get("block", False) is (mode != "allow")
    # One that may fail does not open the way past the others.
    assert peer.intercept("tool_call", phase="guard", tool_name="cat", tool_args={})["block"] is True


def test_another_word_for_what_a_failure_means_is_refused() -> None:
    ext = Extension("x")
    for decorate in (ext.guard, lambda **said: ext.intercept("turn_start", **said)):
        with pytest.raises(ValueError, match="on_failure is 'allow' or 'block', and not 'ask'"):
            decorate(on_failure="ask")


def test_each_phase_asks_its_own(start) -> None:
    peer = start(INTERCEPTS)
    guarded = peer.intercept("tool_call", phase="guard", tool_name="stop", tool_args={})
    assert "block" not in guarded
    asked = peer.intercept("tool_call", phase="intercept", tool_name="crash", tool_args={})
    assert "block" not in asked


def test_a_guard_that_takes_too_long_blocks_in_time(start) -> None:
    peer = start(
        """
        import time

        @ext.guard
        def slow(call): time.sleep(30)
        """,
        limits={"intercept_timeout_ms": 1000},
    )
    answer = peer.intercept("tool_call", tool_name="bash")
    assert (answer["block"], answer["reason"]) == (True, "guard slow timed out")


def test_events_carry_what_the_host_says(start) -> None:
    peer = start(
        """
        @ext.on("turn_end")
        def ended(event, ctx):
            ctx.notify(f"{event.event} {event.stop} {event.error}", level="warn")
            event.stopp

        @ext.on("turn_end")
        def too(event): ext.notify("too")
        """
    )
    peer.send({"type": "event", "event": "turn_end", "stop": "length"})
    assert peer.next("notify")["message"] == "turn_end length None"
    # One that fails does not keep the others from being told.
    assert peer.next("notify")["message"] == "too"
    assert "the event turn_end has no 'stopp'; it has cwd, error, message, sequence, session_id, stop, tool_results" in peer.stderr()


def test_logs_go_to_the_host_or_to_stderr(start) -> None:
    source = """
        import logging
        logging.getLogger().addHandler(ext.logging_handler())

        @ext.tool
        def work(ctx):
            ctx.log("careful", level="warn", path="/p")
            logging.getLogger("lib").error("lost %s", "it")
            ext.submit("go on")
            ext.submit("/help")
        """
    peer = start(source, capabilities=["log"])
    peer.begin("work")
    line = {"type": "log", "level": "warn", "message": "careful", "fields": {"path": "/p"}}
    assert peer.next() == line
    line = peer.next("log")
    assert (line["level"], line["message"], line["fields"]["logger"]) == ("error", "lost it", "lib")
    assert peer.next() == {"type": "submit", "text": "go on"}
    assert peer.next() == {"type": "submit_slash", "text": "/help"}
    peer.next("tool_result")
    peer = start(source)
    peer.begin("work")
    while peer.next()["type"] != "tool_result":
        pass
    # It may be written behind the answer, and is by the end.
    assert peer.shut_down() == 0
    assert "extline: warn: careful" in peer.stderr()
    assert "extline: error: lost it" in peer.stderr()


def test_ctx_knows_the_host_and_the_call(start) -> None:
    peer = start(
        """
        import time

        @ext.tool
        def tell(ctx):
            host = ctx.host
            return {
                "id": ctx.call_id, "host": [host.name, host.version, host.provider, host.model],
                "cwd": host.cwd, "data": str(ctx.data_dir), "dir": str(ctx.extension_dir),
                "knows": [host.supports("log"), host.supports("rpc"), host.supports("nonsense")],
                "left": round(ctx.deadline - time.monotonic()), "session": ctx.session,
            }
        """,
        capabilities=["log"],
        host={"name": "h", "version": "2"},
        provider="p",
        model="m",
        cwd="/c",
        data_dir="/d",
        extension_dir="/e",
    )
    peer.send(
        {
            "type": "tool_call",
            "id": "7",
            "name": "tell",
            "args": {},
            "deadline_ms": 60_000,
            "session": {"id": "s", "generation": 2},
        }
    )
    assert peer.next("tool_result")["structured_content"] == {
        "id": "7",
        "host": ["h", "2", "p", "m"],
        "cwd": "/c",
        "data": "/d",
        "dir": "/e",
        "knows": [True, False, False],
        "left": 60,
        "session": ["s", 2],
    }


def test_a_call_that_may_be_made_again_says_so(start) -> None:
    peer = start(
        """
        @ext.tool(replay="reconcile")
        def pay(ctx):
            if ctx.reconcile:
                return {"state": "not_started"}
            return {"key": ctx.operation_key}

        @ext.tool(pure=True)
        def look(ctx):
            return {"key": ctx.operation_key, "reconcile": ctx.reconcile}

        @ext.tool(idempotent=True)
        def put(): ...

        @ext.tool(read_only=True, replay="never")
        def dial(): ...
        """
    )
    declared = {frame["name"]: frame.get("replay") for frame in peer.start if frame["type"] == "register_tool"}
    assert declared == {"pay": "reconcile", "look": "safe", "put": "idempotent", "dial": "never"}

    def call(number: str, name: str, **more: object) -> object:
        peer.send({"type": "tool_call", "id": number, "name": name, "args": {}, **more})
        return peer.next("tool_result")["structured_content"]

    assert call("1", "pay", operation_key="op-7") == {"key": "op-7"}
    assert call("2", "pay", operation_key="op-7", reconcile=True) == {"state": "not_started"}
    assert call("3", "look") == {"key": None, "reconcile": False}
    # It does not declare it, so its handler is not entered.
    assert call("4", "look", reconcile=True) == {"state": "unknown"}


def test_a_fork_is_asked_by_frames_of_its_own(start) -> None:
    peer = start(
        """
        @ext.tool
        def show(ctx): return {"shown": ctx.ui.status("build", "3 of 5")}

        @ext.tool
        async def later(ctx): return {"shown": await ctx.ui.status("build", None)}

        @ext.tool
        def ask(ctx): return ctx.call_tool("read", path="a").text
        """,
        protocol_version=6,
        zot_version="1",
        terva_version="1",
    )
    for tool, shown in [("show", "3 of 5"), ("later", "")]:
        peer.begin(tool)
        assert peer.next() == {"type": "status_segment", "id": "build", "text": shown}
        # It answers none of them.
        assert text(peer.next("tool_result")) == '{"shown":true}'
    peer.begin("ask")
    asked = peer.next("host_tool_call")
    assert (asked["name"], asked["args"]) == ("read", {"path": "a"})
    peer.send({"type": "host_tool_result", "id": asked["id"], "content": [{"type": "text", "text": "one"}]})
    assert text(peer.next("tool_result")) == "one"


def test_track_shows_how_far_a_loop_is(start) -> None:
    peer = start(
        """
        @ext.tool
        def count(ctx):
            for one in ctx.track([1, 2], "counting", unit="steps"): pass
            return one
        """,
        capabilities=["tool_update"],
    )
    peer.begin("count")
    first = {"done": 0, "total": 2, "unit": "steps", "message": "counting"}
    assert peer.next("tool_update")["progress"] == first
    assert text(peer.next("tool_result")) == "2"



def test_a_required_registration_that_is_rejected_ends_it_with_78(start) -> None:
    peer = start(
        "@ext.tool(required=True)\ndef search(): pass\n@ext.tool\ndef other(): pass\n",
        capabilities=["registration_report"],
    )
    rejection = {"kind": "tool", "name": "other", "code": "conflict", "message": "taken"}
    peer.send({"type": "registered", "tools": ["search"], "rejected": [rejection]})
    assert text(peer.call("other")) == ""
    rejection = {**rejection, "name": "search", "winner": "builtin"}
    peer.send({"type": "registered", "tools": ["other"], "rejected": [rejection]})
    assert "did not take the tool search, which test requires" in peer.next("notify")["message"]
    assert peer.line() is None
    assert peer.process.wait(30) == 78
    assert "the host rejected the tool search: taken" in peer.stderr()


def test_what_setup_registers_counts(start) -> None:
    peer = start(
        """
        @ext.setup
        def prepare():
            @ext.intercept("turn_start", on_failure="allow")
            def turn(moment): raise ValueError

            @ext.on("turn_end")
            def ended(event): ext.notify("ended")

            @ext.guard
            def none(call): return call.block("none")

            try:
                @ext.tool
                async def late(): pass
            except DefinitionError as error:
                ext.notify(str(error).partition(": ")[2])
        """
    )
    note = peer.start[1]["message"]
    assert note.startswith("an async handler that comes while the extension runs")
    subscribed = next(frame for frame in peer.start if frame["type"] == "subscribe")
    assert subscribed["on_failure"] == {"turn_start": "allow"}
    assert "block" not in peer.intercept("turn_start")
    assert peer.intercept("tool_call", tool_name="x")["reason"] == "none"
    peer.send({"type": "event", "event": "turn_end"})
    assert peer.next("notify")["message"] == "ended"


LATE = {
    "the event turn_end": lambda ext: ext.on("turn_end"),
    "the point tool_call": lambda ext: ext.intercept("tool_call"),
    "the guard late": lambda ext: ext.guard,
    "the method m": lambda ext: ext.method("m"),
    "setup": lambda ext: ext.setup,
    "teardown": lambda ext: ext.teardown,
}


@pytest.mark.parametrize("what", LATE)
def test_what_a_host_is_told_once_does_not_come_too_late_in_silence(what: str) -> None:
    ext = Extension("a", "1")

    @ext.tool
    def register() -> str:
        def late() -> None: ...

        with pytest.raises(DefinitionError) as raised:
            LATE[what](ext)(late)
        line = late.__code__.co_firstlineno
        assert f"test_handlers.py:{line}: {what} comes too late: " in str(raised.value)
        return "refused"

    with Host(ext) as host:
        assert host.call("register").text == "refused"


def test_a_capability_is_required_before_the_extension_runs() -> None:
    ext = Extension("a", "1")
    with Host(ext), pytest.raises(DefinitionError, match="the capability log is required too late"):
        ext.require("log")


def test_mistakes_are_named_with_the_author_s_line() -> None:
    ext = Extension("a", "1")

    @ext.tool
    def same() -> None: ...

    with pytest.raises(DefinitionError, match=r"test_handlers.py:\d+: there is a tool named 'same'"):

        @ext.tool(name="same")
        def other() -> None: ...

    with pytest.raises(DefinitionError, match="asks for 'other'; it is given args and ctx"):

        @ext.command("c")
        def command(args, other, ctx) -> None: ...

    ext.command("c")(lambda args: None)
    with pytest.raises(DefinitionError, match="there is a command named 'C'"):
        ext.command("C")(lambda args: None)
    with pytest.raises(DefinitionError, match="letters, digits"):
        ext.command("a b")(lambda args: None)
    with pytest.raises(DefinitionError, match="/properties/a/minLength: must be"):
        schema = {"type": "object", "properties": {"a": {"minLength": "x"}}}
        ext.tool(name="n", schema=schema)(lambda **args: None)
    with pytest.raises(DefinitionError, match="a guard named"):
        ext.guard(name="g")(lambda call: None)
        ext.guard(name="g")(lambda call: None)
    with pytest.raises(ValueError, match="'allow' or 'block'"):
        ext.intercept("tool_call", on_failure="perhaps")
    with pytest.raises(RuntimeError, match="the extension must run"):
        ext.notify("early")


def test_responses_are_values() -> None:
    assert Response.prompt("a") == Response.prompt("a") != Response.insert("a")
    assert repr(Response.display("x")) == "Response(action='display', display='x')"
