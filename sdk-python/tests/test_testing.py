"""The testing host: every step of it, against extensions with and without asyncio."""

from __future__ import annotations

import json
import os
import threading
import time

import pytest

from extline import Extension, Panel, Response, ToolError, ToolResult
from extline.testing import Ended, Failure, Host, Misuse, Note, TimedOut
from program import ROOT

PATIENCE = 30.0


def make() -> Extension:
    return Extension("test", "1.0.0")


def make_async() -> Extension:
    """One that is served by asyncio, for the sake of a handler that no test needs."""
    ext = make()

    @ext.tool
    async def unused() -> None: ...

    return ext


both = pytest.mark.parametrize("new", [make, make_async], ids=["threads", "asyncio"])


@both
def test_a_call_that_may_be_made_again_has_its_key(new) -> None:
    ext = new()

    @ext.tool(replay="reconcile")
    def pay(amount: int, *, ctx) -> dict[str, object]:
        if ctx.reconcile:
            return {"state": "not_started", "key": ctx.operation_key}
        return {"paid": amount, "key": ctx.operation_key}

    @ext.tool
    def give() -> None: ...

    with Host(ext) as host:
        assert host.call("pay", amount=3).value == {"paid": 3, "key": None}
        assert host.call_with_key("op-7", "pay", amount=3).value == {"paid": 3, "key": "op-7"}
        assert host.reconcile("op-7", "pay", {"amount": 3}).value == {"state": "not_started", "key": "op-7"}
        with pytest.raises(Misuse, match='give does not declare replay "reconcile"'):
            host.reconcile("op-7", "give")


@both
def test_a_tool_answers_with_all_that_a_result_has(new) -> None:
    ext = new()

    @ext.tool
    def give(n: int, *, ctx) -> ToolResult:
        ctx.update("on it", done=1, total=n)
        effect = {"kind": "file", "op": "create", "path": "p"}
        return ToolResult(
            ["a", "b"], structured={"n": n}, details=[1], effects=[effect], activate=["t"], trust="untrusted"
        )

    with Host(ext) as host:
        answer = host.call("give", n=2)
        assert (answer.text, answer.value, answer.details) == ("a\nb", {"n": 2}, [1])
        assert (answer.activated, answer.trust, answer.is_error) == (["t"], "untrusted", False)
        assert answer.effects[0]["path"] == "p"
        assert answer.updates[0]["progress"] == {"done": 1, "total": 2, "message": "on it"}
        assert host.call("give", {"n": 3}).value == {"n": 3}
        refused = host.call("give", n="x")
        assert (refused.kind, refused.field, refused.is_error) == ("validation", "/n", True)
        assert [tool["name"] for tool in host.tools if tool["name"] != "unused"] == ["give"]


@both
def test_updates_come_one_by_one_and_a_cancel_reaches_the_handler(new) -> None:
    ext = new()

    @ext.tool
    def wait(ctx) -> str:
        ctx.update("waiting")
        ctx.sleep(PATIENCE)
        return "too late"

    with Host(ext) as host:
        call = host.begin("wait")
        assert host.next_update(call)["progress"]["message"] == "waiting"
        host.cancel(call)
        answer = host.finish(call)
        assert answer.kind == "cancelled"

        call = host.begin("wait")
        host.cancel(call)
        host.wait_until("an answer", lambda host: host.transcript.frames("extension", "tool_result")[1:])
        with pytest.raises(Misuse, match="answered without a further update"):
            host.next_update(call)
            host.next_update(call)


@both
def test_a_call_that_was_begun_runs_before_it_is_cancelled(new) -> None:
    ext = new()
    began = []

    @ext.tool
    def wait(ctx) -> None:
        began.append(1)
        ctx.sleep(PATIENCE)

    with Host(ext) as host:
        for count in range(1, 30):
            call = host.begin("wait")
            host.cancel(call)
            assert host.finish(call).kind == "cancelled"
            assert len(began) == count


def test_an_async_tool_is_cancelled_as_a_task() -> None:
    import asyncio

    ext = make()
    seen = []

    @ext.tool
    async def wait() -> None:
        try:
            await asyncio.sleep(PATIENCE)
        except asyncio.CancelledError:
            seen.append("cancelled")
            raise

    with Host(ext) as host:
        call = host.begin("wait")
        host.cancel(call)
        assert host.finish(call).kind == "cancelled"
    assert seen == ["cancelled"]


@both
def test_commands_answer_and_open_panels_that_take_keys(new) -> None:
    ext = new()

    @ext.command("say", "says")
    def say(args):
        return Response.tool_prompt("bash", {"command": args}, "go")

    @ext.command("show", "shows")
    def show():
        return Response.open_panel(Panel("p", title="T", lines=["0"], footer="f"))

    pressed = []

    @ext.panel("p")
    def on_input(input, ctx):
        pressed.append(input.text or input.key or (input.width, input.height))
        if input.kind != "close":
            ctx.panel("p").render(lines=[str(len(pressed))])

    with Host(ext) as host:
        answer = host.command("say", "ls")
        assert answer == Response.tool_prompt("bash", {"command": "ls"}, "go")
        assert answer != Response.noop()
        assert (answer.action, answer.prompt) == ("tool_prompt", "go")
        assert answer.tool_call == ("bash", {"command": "ls"})
        assert {one["name"] for one in host.commands} == {"say", "show"}

        with pytest.raises(Misuse, match="no panel p is open"):
            host.key("p", "up")
        assert host.command("show").panel.lines == ["0"]
        host.key("p", "up")
        host.key("p", "x")
        host.resize_panel("p", 80, 25)
        shown = host.panel("p")
        assert (shown.title, shown.lines, shown.footer) == ("T", ["3"], "f")
        host.close_panel("p")
        assert host.panels == []
        assert pressed[:3] == ["up", "x", (80, 25)]


@both
def test_events_are_handled_when_the_step_returns_and_what_they_say_is_there(new) -> None:
    ext = new()
    told = []

    @ext.on("turn_end")
    def on_end(event, ctx):
        time.sleep(0.01)
        told.append(event.stop)
        ctx.notify("ended", level="warn")
        ctx.log("noted", level="debug", n=1)
        ctx.submit("/more")

    with Host(ext) as host:
        for stop in "abc":
            host.event("turn_end", stop=stop)
            assert told[-1] == stop
        assert host.notes == [Note("warn", "ended")] * 3
        assert host.logs[0] == {"level": "debug", "message": "noted", "fields": {"n": 1}}
        assert host.submitted == ["/more"] * 3
        with pytest.raises(Misuse, match="does not listen to turn_start: it listens to turn_end"):
            host.event("turn_start")


@both
def test_interceptors_rewrite_in_order_and_guards_see_the_result(new) -> None:
    ext = new()

    @ext.intercept("tool_call")
    def limit(call):
        return call.rewrite({**call.args, "timeout": 9})

    @ext.guard
    def only_limited(call):
        if call.args.get("timeout") != 9 or "rm" in call.args["command"]:
            return call.block("no")

    @ext.intercept("assistant_message")
    def shout(message):
        return message.replace(message.text.upper())

    @ext.intercept("before_agent_start")
    def add(start):
        return start.system_prompt(f"{start.current_prompt} {start.provider}")

    for profile in ("spec", "zot-37c7945"):
        with Host(ext, profile=profile, provider="acme") as host:
            ruling = host.intercept("tool_call", tool="bash", args={"command": "ls"})
            assert ruling.rewritten == {"command": "ls", "timeout": 9}
            assert not ruling.is_allowed
            assert host.intercept("tool_call", tool="bash", args={"command": "rm"}).blocked == "no"
            assert host.intercept("assistant_message", text="hi").replaced == "HI"
            assert host.intercept("turn_start", step=1).is_allowed
            started = host.intercept("before_agent_start", system_prompt="be good")
            assert started.system_prompt == "be good acme"


# How an intercept goes through the handlers: what every SDK is held to.
CHAINS = json.loads((ROOT / "protocol/tests/intercept_chains.json").read_text())


@both
@pytest.mark.parametrize("profile", ["spec", "zot-0.1.62"])
@pytest.mark.parametrize("case", CHAINS, ids=lambda case: case["name"])
def test_handlers_are_asked_and_heard_as_in_every_sdk(new, profile, case) -> None:
    ext = new()
    seen: list[list[object]] = []
    point = case.get("point", "tool_call")

    def shown(moment):
        if point == "tool_result":
            return [moment.text, moment.is_error, moment.structured_content]
        return moment.args if point == "tool_call" else moment.text

    def handler(who: str, does: dict | None):
        def decide(moment):
            seen.append([who, shown(moment)])
            (verb, what), *_ = (does or {"allow": None}).items()
            if verb == "fail":
                raise RuntimeError(what)
            if verb == "replace":
                return moment.replace(**what)
            verbs = {"args": "rewrite", "text": "replace", "fail_result": "fail"}
            given = [what] if does and verb != "handled" else []
            return getattr(moment, verbs.get(verb, verb))(*given)

        return decide

    for index, does in enumerate(case["interceptors"]):
        ext.intercept(point, on_failure=case.get("on_failure"))(handler(f"interceptor {index}", does))
    for index, does in enumerate(case["guards"]):
        ext.guard(name=str(index))(handler(f"guard {index}", does))
    result = {"content": [{"type": "text", "text": "one"}], "structured_content": {"n": 1}}
    moments = {
        "tool_call": {"tool": "bash", "args": {"n": 1}},
        "tool_result": {"tool": "bash", "args": {"n": 1}, "result": result},
    }
    with Host(ext, profile=profile) as host:
        ruling = host.intercept(point, **moments.get(point, {"text": "one"}))
    expected = case["ruling"]
    if profile != "spec" and point in ("tool_result", "user_prompt_submit"):  # no zot asks there
        assert seen == []
        assert ruling.is_allowed
        return
    assert seen == case["seen"]
    if "asked" in expected and profile != "spec":  # a zot cannot ask, and blocks
        expected = {"blocked": expected["asked"]}
    if ruling.blocked is not None:
        handler_of, failed, _ = ruling.blocked.partition(" failed: ")
        came = {"failed": handler_of} if failed else {"blocked": ruling.blocked}
    elif ruling.asked is not None:
        came = {"asked": ruling.asked}
    elif ruling.is_allowed:
        came = "allowed"
    else:
        came = {
            "args": ruling.rewritten,
            "text": ruling.replaced,
            "result": ruling.result,
            "handled": ruling.handled,
        }
        came = {name: value for name, value in came.items() if value is not None}
    assert came == expected


@both
def test_the_extension_calls_tools_and_methods_of_the_test(new) -> None:
    ext = new()

    @ext.tool
    def copy(path: str, *, ctx) -> str:
        text = ctx.call_tool("read", path=path).text
        size = ctx.request("size", {"of": text})
        return f"{text} {size} {ctx.call_tool('own').text}"

    @ext.tool
    def own() -> str:
        return "mine"

    @ext.tool
    def ask(what: str, *, ctx) -> str:
        return ctx.call_tool(what).text

    @ext.method("health")
    def health(params):
        if params is None:
            raise ToolError.not_found("whose?")
        return [params]

    def read(path):
        if path == "none":
            raise ToolError("no such file")
        return f"<{path}>"

    methods = {"size": lambda params: len(params["of"])}
    with Host(ext, tools={"read": read, "never": None}, methods=methods) as host:
        assert host.call("copy", path="a").text == "<a> 3 mine"
        assert "no such file" in host.call("copy", path="none").text
        assert "unknown tool nobody" in host.call("ask", what="nobody").text
        assert host.request("health", 1).value == [1]
        refused = host.request("health")
        assert (refused.kind, refused.error["message"]) == ("not_found", "whose?")
        host.deadline = 0.1
        with pytest.raises(TimedOut, match="the tool ask did not answer within 0.1 s"):
            host.call("ask", what="never")


@both
def test_a_cancel_reaches_a_handler_that_waits_for_a_tool_of_the_host(new) -> None:
    ext = new()

    @ext.tool
    def ask(*, ctx) -> str:
        ctx.update("asking")
        return ctx.call_tool("never").text

    with Host(ext, tools={"never": None}) as host:
        call = host.begin("ask")
        host.wait_until("a call", lambda host: host.transcript.frames("extension", "call_tool"))
        host.cancel(call)
        assert host.finish(call).kind == "cancelled"
        host.wait_until("a cancel", lambda host: host.transcript.frames("extension", "call_tool_cancel"))


@both
def test_a_command_that_fails_says_why_and_half_a_character_is_one_mark(new) -> None:
    ext = new()

    @ext.command("fail", "fails")
    def fail():
        raise OSError("no disk")

    @ext.tool
    def half():
        return ToolResult(["a\ud83db", "\ud83d\ude00", "\ude00"])

    with Host(ext) as host:
        assert host.command("fail").error == "no disk"
        assert host.call("half").text == "a\ufffdb\n\U0001f600\n\ufffd"


@both
def test_what_the_host_says_reaches_the_context(new, tmp_path) -> None:
    ext = new()

    @ext.tool
    def where(*, ctx) -> list[str]:
        host = ctx.host
        said = [ctx.data_dir, ctx.extension_dir, host.cwd, host.provider, host.model, ctx.session]
        return [str(one) for one in said] + [str(host.supports("log"))]

    options = {"extension_dir": "/ext", "cwd": "/project", "provider": "p", "model": "m"}
    with Host(ext, data_dir=tmp_path, session="s1", capabilities=[], **options) as host:
        said = host.call("where").value
    assert said == [str(tmp_path), "/ext", "/project", "p", "m", "('s1', None)", "False"]


@both
def test_the_extension_is_left_as_it_was_and_may_be_served_again(new) -> None:
    ext = new()

    @ext.setup
    def prepare(ctx):
        @ext.tool(name=f"of_{ctx.host.model}")
        def late() -> str:
            return ctx.host.model

        ext.notify("ready")

    for model in ("a", "b", "a"):
        with Host(ext, model=model) as host:
            assert {tool["name"] for tool in host.tools} - {"unused"} == {f"of_{model}"}
            assert host.call(f"of_{model}").text == model
            assert host.notes == [Note("info", "ready")]
            with pytest.raises(RuntimeError, match="test runs already"):
                Host(ext).start()
    with pytest.raises(RuntimeError, match="needs a host"):
        ext.notify("nobody hears")


@both
def test_hosts_leave_neither_threads_nor_descriptors_behind(new) -> None:
    ext = new()

    @ext.tool
    def hi() -> str:
        return "hi"

    def open_now() -> int:
        return len(os.listdir("/proc/self/fd"))

    def serve() -> None:
        with Host(ext) as host:
            assert host.call("hi").text == "hi"

    serve()
    threads, descriptors = threading.active_count(), open_now()
    for _ in range(10):
        serve()
    assert threading.active_count() <= threads + 2
    assert open_now() <= descriptors + 4


def test_a_handler_that_does_not_end_is_left_behind_when_the_extension_has_said_its_last(capfd) -> None:
    ext = make()
    go = threading.Event()
    torn_down = threading.Event()
    ext.teardown(torn_down.set)

    @ext.tool
    def waits() -> None:
        go.wait(PATIENCE)

    with Host(ext) as host:
        host.begin("waits")
    assert torn_down.is_set()
    assert host.transcript.frames("extension")[-1]["type"] == "shutdown_ack"
    assert "testing: a handler did not end with its extension, and is left behind" in capfd.readouterr().err
    go.set()


@both
def test_an_event_s_handler_has_the_time_of_a_shutdown_and_no_more(new, monkeypatch) -> None:
    # What the host itself would wait for, which only a hang takes.
    monkeypatch.setattr("extline.testing._host._FAREWELL", 2 * PATIENCE)
    ext = new()
    go = threading.Event()

    @ext.on("turn_end")
    def waits(event) -> None:
        go.wait(2 * PATIENCE)

    began = time.monotonic()
    with pytest.raises(TimedOut), Host(ext, deadline=0.2) as host:
        host.event("turn_end")
    assert time.monotonic() - began < PATIENCE
    go.set()
    go.set()


def test_a_shutdown_runs_the_teardown_and_gives_the_exit_code() -> None:
    ext = make()
    ended = []
    ext.teardown(lambda: ended.append("torn down"))
    with Host(ext) as host:
        assert host.shutdown() == 0
        assert ended == ["torn down"]
        with pytest.raises(Ended, match="the tool x was not called: the extension has ended with exit code 0"):
            host.call("x")


def test_what_is_required_and_rejected_ends_the_extension() -> None:
    ext = make()

    @ext.tool(required=True)
    def hi() -> str:
        return "hi"

    with pytest.raises(Ended, match="exit code 78"), Host(ext, reject=[("tool", "hi")]) as host:
        host.call("hi")


def test_a_setup_that_fails_is_told_as_the_end() -> None:
    ext = make()

    @ext.setup
    def fails():
        raise OSError("no disk")

    with pytest.raises(Ended, match="did not become ready: the extension has ended with exit code 1"):
        Host(ext).start()
    assert ext._serving is None


def test_a_failure_shows_what_was_wrong_and_the_last_frames() -> None:
    ext = make()

    @ext.tool
    def wait(ctx) -> None:
        ctx.sleep(PATIENCE)

    @ext.tool
    def quick() -> None: ...

    with Host(ext, deadline=0.05) as host:
        for _ in range(20):
            host.call("quick")
        with pytest.raises(AssertionError) as caught:
            host.call("wait")
    assert isinstance(caught.value, Failure)
    text = str(caught.value)
    assert text.startswith("the tool wait did not answer within 0.05 s, the deadline")
    assert "the last frames, after " in text
    assert text.splitlines()[-1] == '  host      > {"type":"tool_call","id":"21","name":"wait","args":{}}'


def test_a_failed_assertion_is_noted_with_the_frames() -> None:
    ext = make()

    @ext.tool
    def hi() -> str:
        return "hi"

    with pytest.raises(AssertionError) as caught, Host(ext) as host:
        assert host.call("hi").text == "ho"
    if hasattr(caught.value, "__notes__"):
        assert '"text":"hi"' in caught.value.__notes__[0]


def test_a_host_that_was_not_started_and_one_that_was_say_so() -> None:
    host = Host(make())
    with pytest.raises(Misuse, match="was not started"):
        host.call("x")
    with host:
        pass
    with pytest.raises(Misuse, match="make another one"):
        host.start()


def test_a_profile_that_nobody_knows_is_refused() -> None:
    with pytest.raises(ValueError, match="the profiles are spec, zot"):
        Host(make(), profile="zot")


@both
def test_the_steps_of_an_async_host_are_awaited(new) -> None:
    import asyncio

    from extline.testing import AsyncHost

    ext = new()

    @ext.tool
    def wait(ctx) -> None:
        ctx.update("waiting")
        ctx.sleep(PATIENCE)

    @ext.on("turn_end")
    def on_end(event, ctx):
        ctx.notify(event.stop)

    @ext.guard
    def guard(call):
        return call.block("no")

    @ext.command("say", "says")
    def say(args):
        return args

    @ext.method("health")
    def health(params):
        return params

    async def steps() -> None:
        async with AsyncHost(ext, deadline=PATIENCE) as host:
            call = await host.begin("wait")
            assert (await host.next_update(call))["progress"]["message"] == "waiting"
            await host.cancel(call)
            assert (await host.finish(call)).kind == "cancelled"
            one, two = await asyncio.gather(host.request("health", 1), host.command("say", "hi"))
            assert (one.value, two.display) == (1, "hi")
            await host.event("turn_end", stop="end")
            assert host.seen.notes == [Note("info", "end")]
            assert (await host.intercept("tool_call", tool="x", args={})).blocked == "no"
            assert (await host.request("health", [1])).value == [1]
            assert await host.shutdown() == 0

    asyncio.run(steps())


def test_a_zot_cancels_nothing() -> None:
    ext = make()

    @ext.tool
    def hi() -> str:
        return "hi"

    with Host(ext, profile="zot-0.1.62") as host:
        call = host.begin("hi")
        with pytest.raises(Misuse, match="never cancels"):
            host.cancel(call)
        assert host.finish(call).text == "hi"
        assert "capabilities" not in host.transcript.frames("host", "hello_ack")[0]


pytest_plugins = ["pytester"]


def test_the_fixture_starts_hosts_keeps_their_data_and_shows_the_frames(pytester) -> None:
    pytester.makepyfile(
        hello="""
        from extline import Extension
        ext = Extension("hello", "1.0.0")

        @ext.tool
        def greet(name: str, *, ctx) -> str:
            ctx.data_dir.joinpath(name).touch()
            print("printed by the handler")
            return f"Hello, {name}!"

        @ext.tool
        def wait(ctx): ctx.sleep(60)
        """
    )
    pytester.makepyfile(
        """
        from hello import ext

        def test_good(extline_host, tmp_path):
            assert extline_host(ext).call("greet", name="Ada").text == "Hello, Ada!"
            assert (tmp_path / "data" / "Ada").exists()

        def test_bad(extline_host):
            assert extline_host(ext).call("greet", name="Bob").text == "Bye"

        def test_late(extline_host):
            extline_host(ext, deadline=0.2).call("wait")
        """
    )
    outcome = pytester.runpytest_subprocess("-p", "extline.testing.plugin")
    outcome.assert_outcomes(passed=1, failed=2)
    # The traceback ends in the test, and not in the host.
    outcome.stdout.fnmatch_lines(['>*extline_host(ext, deadline=0.2).call("wait")', "E*the tool wait did not answer within 0.2 s*"])
    outcome.stdout.no_fnmatch_line("*def wait_a_little*")
    outcome.stdout.fnmatch_lines(["*printed by the handler*", "*- extline -*", '*host      > *"name":"Bob"*'])
