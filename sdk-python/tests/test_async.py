"""``async`` handlers: asyncio owns the session."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time

import pytest
from wire import PACKAGE, PATIENCE, text, tool_call

NAP = """
    import asyncio, threading, time

    @ext.tool
    async def nap(seconds: float, ctx):
        await ctx.sleep(seconds)
        return "slept"

    @ext.tool
    async def begun(ctx):
        ext.notify("begun")
        await ctx.sleep(100)

    @ext.tool
    async def stubborn(ctx):
        try:
            await asyncio.sleep(100)
        except asyncio.CancelledError:
            return f"stopped, {ctx.cancelled}"

    @ext.tool
    def blocking(ctx):
        while not ctx.cancelled: time.sleep(0.001)
        return threading.current_thread().name

    @ext.tool
    async def quick(): return threading.current_thread().name
"""


def test_async_tools_run_in_the_loop_and_others_in_threads(start) -> None:
    peer = start(NAP)
    assert text(peer.call("quick")) == "MainThread"
    peer.begin("blocking", "b")
    assert text(peer.call("quick")) == "MainThread"
    peer.send({"type": "tool_cancel", "id": "b"})
    assert text(peer.next("tool_result")).startswith("extline")
    assert peer.shut_down() == 0
    assert peer.frames()[-1] == {"type": "shutdown_ack"}
    assert peer.stderr() == ""


def test_a_cancel_is_a_cancelled_task(start) -> None:
    peer = start(NAP)
    peer.begin("nap", seconds=100)
    time.sleep(0.02)
    peer.send({"type": "tool_cancel", "id": "1"})
    result = peer.next("tool_result")
    assert (text(result), result["error"]["kind"]) == ("cancelled", "cancelled")
    for _ in range(20):
        peer.send(tool_call("stubborn"), {"type": "tool_cancel", "id": "1"})
        assert text(peer.next("tool_result")) == "stopped, True"


def test_hundreds_of_calls_at_a_time(start) -> None:
    peer = start(NAP)
    peer.send(*(tool_call("nap", str(number), seconds=0.05) for number in range(300)))
    assert {peer.next("tool_result")["id"] for _ in range(300)} == {*map(str, range(300))}


@pytest.mark.parametrize(
    ("body", "part"),
    [
        ("raise KeyError('k')", "KeyError: 'k'"),
        ("raise SystemExit(2)", "sys.exit(2)"),
        ("return object()", "no JSON value"),
        ("raise asyncio.CancelledError", "cancelled"),
        ("raise ToolError.budget('enough')", "enough"),
        ("yield 1; yield object()", "no JSON value"),
    ],
)
def test_every_failure_is_answered(start, body: str, part: str) -> None:
    peer = start(
        f"import asyncio\n@ext.tool\nasync def give():\n    {body}\n"
        "@ext.tool\nasync def well(): return 'well'\n"
    )
    failed = peer.call("give")
    assert failed["is_error"] is True
    assert part in text(failed)
    assert text(peer.call("well")) == "well"
    assert peer.shut_down() == 0


def test_generators_of_both_kinds(start) -> None:
    peer = start(
        """
        @ext.tool
        async def one():
            yield "begin"
            yield {"n": 1}

        @ext.tool
        def two():
            yield "begin"
            return {"n": 2}
        """,
        capabilities=["tool_update"],
    )
    for number, name in enumerate(["one", "two"], 1):
        peer.begin(name)
        assert peer.next("tool_update")["progress"] == {"message": "begin"}
        assert peer.next("tool_result")["structured_content"] == {"n": number}


def test_every_other_handler_may_be_async(start) -> None:
    peer = start(
        """
        import asyncio
        seen = []

        @ext.setup
        async def prepare(ctx):
            await asyncio.sleep(0.2)
            @ext.tool
            async def late(): return "late"

        @ext.command("say")
        async def say(args): return args.upper()

        @ext.on("turn_start")
        async def began(event):
            await asyncio.sleep(0.002)
            seen.append(event.step)

        @ext.tool
        async def told(): return list(seen)

        @ext.guard
        async def no(call):
            await asyncio.sleep(0)
            return call.block("no") if call.tool == "bash" else None

        @ext.intercept("assistant_message")
        def shout(message): return message.replace(message.text.upper())

        @ext.method("m")
        async def serve(params): return params

        @ext.teardown
        async def down(): ext.notify("down")
        """,
        capabilities=["rpc"],
    )
    assert {"type": "subscribe"} in peer.start
    assert text(peer.call("late")) == "late"
    assert peer.command("say", "hi")["display"] == "HI"
    peer.send(*({"type": "event", "event": "turn_start", "step": step} for step in range(9)))
    while len(seen := peer.call("told")["structured_content"]) < 9:
        time.sleep(0.01)
    assert seen == list(range(9))
    assert peer.intercept("tool_call", tool_name="bash", tool_args={})["reason"] == "no"
    assert "block" not in peer.intercept("tool_call", tool_name="ls", tool_args={})
    assert peer.intercept("assistant_message", text="a")["replace_text"] == "A"
    peer.send({"type": "request", "id": "1", "method": "m", "params": {"a": 1}})
    assert peer.next("response")["result"] == {"a": 1}
    assert peer.shut_down() == 0
    assert peer.frames()[-2:] == [
        {"type": "notify", "level": "info", "message": "down"},
        {"type": "shutdown_ack"},
    ]


def test_calls_of_the_host_are_awaited(start) -> None:
    peer = start(
        """
        @ext.tool
        async def ask(n: int, ctx): return (await ctx.call_tool("add", n=n)).text

        @ext.tool
        def ask_in_thread(n: int, ctx): return ctx.call_tool("add", n=n).text
        """,
        capabilities=["call_tool"],
    )
    for name in ("ask", "ask_in_thread"):
        peer.begin(name, n=5)
        asked = peer.next("call_tool")
        content = [{"type": "text", "text": "sum"}]
        peer.send({"type": "tool_result", "id": asked["id"], "name": "add", "content": content})
        assert text(peer.next("tool_result")) == "sum"


def test_both_pipes_full_is_no_deadlock(start) -> None:
    peer = start("@ext.tool\nasync def echo(text: str): return text\n")
    calls = [tool_call("echo", str(number), text="x" * 10_000) for number in range(400)]
    peer.send(*calls)
    assert {peer.next("tool_result")["id"] for _ in calls} == {*map(str, range(400))}
    assert peer.shut_down() == 0


def test_a_task_that_never_ends_is_answered_and_named(start) -> None:
    peer = start(
        """
        import asyncio

        @ext.tool
        async def stuck():
            ext.notify("begun")
            while True:
                try:
                    await asyncio.sleep(100)
                except asyncio.CancelledError:
                    pass
        """
    )
    peer.begin("stuck")
    assert peer.next("notify")["message"] == "begun"
    assert peer.shut_down() == 0
    kinds = [frame["type"] for frame in peer.frames()]
    assert kinds[-2:] == ["tool_result", "shutdown_ack"]
    assert "tool stuck would not stop" in peer.stderr()


def test_ctrl_c_and_sigterm_end_it_in_order(start) -> None:
    peer = start(NAP)
    peer.begin("begun")
    assert peer.next("notify")["message"] == "begun"
    peer.process.send_signal(signal.SIGINT)
    assert peer.next("tool_result")["error"]["kind"] == "cancelled"
    assert peer.line() is None
    assert peer.process.wait(PATIENCE) == -signal.SIGINT
    peer = start(NAP)
    peer.process.send_signal(signal.SIGTERM)
    assert peer.line() is None
    assert peer.process.wait(PATIENCE) == 143


def test_serve_runs_in_the_loop_of_the_author(start) -> None:
    peer = start(
        """
        import asyncio, sys

        @ext.tool
        def plain(): return "plain"

        def run():
            async def main():
                try:
                    ext.run_in_loop()
                except RuntimeError as error:
                    sys.stderr.write(f"{error}\\n")
                code = await ext.serve()
                sys.stderr.write(f"code {code}\\n")
            asyncio.run(main())

        ext.run_in_loop, ext.run = ext.run, run
        """
    )
    assert text(peer.call("plain")) == "plain"
    assert peer.shut_down() == 0
    assert "`await ext.serve()` serves in it" in peer.stderr()
    assert "code 0" in peer.stderr()


def test_a_loop_that_is_kept_hides_nothing(start) -> None:
    peer = start(
        """
        import time

        @ext.tool
        async def keep(ctx):
            while not ctx.cancelled: time.sleep(0.001)
            return "seen"

        @ext.guard
        async def slow(call):
            time.sleep(60)
        """,
        limits={"intercept_timeout_ms": 1000},
    )
    peer.begin("keep")
    time.sleep(0.1)
    peer.send({"type": "tool_cancel", "id": "1"})
    result = peer.next("tool_result")
    # It returned, and then its task ended as what it was: cancelled or not.
    assert text(result) in ("seen", "cancelled")
    answer = peer.intercept("tool_call", tool_name="bash")
    assert (answer["block"], answer["reason"]) == (True, "guard slow timed out")
    assert peer.shut_down() == 0


def test_without_async_handlers_asyncio_is_not_imported() -> None:
    source = (
        "import extline, sys\next = extline.Extension('a', '1')\n"
        "@ext.tool\ndef t(a: int, b: str = ''): return a\n"
        "@ext.teardown\ndef down():\n"
        "    heavy = {'asyncio', 'inspect', 'typing', 'dataclasses', 'json', 'msgspec', 're'}\n"
        "    sys.stderr.write(repr(sorted(heavy & set(sys.modules))))\n"
        "ext.run()\n"
    )
    frames = '{"type":"hello_ack","protocol_version":1}\n'
    frames += '{"type":"tool_call","id":"1","name":"t","args":{"a":1}}\n'
    outcome = subprocess.run(
        [sys.executable, "-S", "-c", source],
        env={"PYTHONPATH": str(PACKAGE)},
        input=frames,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert '"text":"1"' in outcome.stdout
    assert outcome.stderr == "[]"


def test_a_loop_that_has_read_enough_ahead_sleeps_until_the_host_reads(start) -> None:
    peer = start(
        """
        import time

        @ext.tool
        async def big(): return "x" * (1 << 20)

        @ext.tool
        async def used(): return time.process_time()
        """
    )
    calls = [tool_call("used", str(number)) for number in range(12_000)]
    # More than is read ahead and fits the pipe: something stays there to be read.
    writer = threading.Thread(target=peer.send, args=(tool_call("big", "big"), *calls), daemon=True)
    writer.start()
    time.sleep(4)
    results = [peer.next("tool_result") for _ in range(12_001)]
    writer.join()
    assert {result["id"] for result in results} == {"big", *map(str, range(12_000))}
    # Between the last that began before the host stopped to read, and the first that began after.
    used = sorted(float(text(result)) for result in results if result["id"] != "big")
    assert max(after - before for before, after in zip(used, used[1:])) < 1.5
    assert peer.shut_down() == 0


def test_a_loop_sleeps_while_it_ends_after_the_end_of_the_input(start, tmp_path) -> None:
    told = tmp_path / "told"
    peer = start(
        f"""
        import asyncio, time

        @ext.teardown
        async def slow():
            before = time.process_time()
            await asyncio.sleep(0.8)
            with open({str(told)!r}, "w") as file: file.write(str(time.process_time() - before))
        """
    )
    assert peer.end() == 0
    assert float(told.read_text()) < 0.4
