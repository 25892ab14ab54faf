"""How an extension ends: shutdown, end of input, signals, handlers that never end."""

from __future__ import annotations

import signal
import time

import pytest
from wire import PATIENCE, tool_call

from extline import DefinitionError, Extension

STUCK = """
    import time

    @ext.tool
    def stuck():
        ext.notify("begun")
        while True: time.sleep(0.01)

    @ext.tool
    def begun():
        ext.notify("begun")
        while True: time.sleep(0.01)

    @ext.tool
    def computing():
        ext.notify("begun")
        while True: pass

    @ext.tool
    def well(): return "well"

    @ext.teardown
    def down(): ext.notify("down")
"""


def test_the_end_of_input_ends_it_in_order(start) -> None:
    peer = start(STUCK)
    assert peer.end() == 0
    assert peer.frames()[-1] == {"type": "notify", "level": "info", "message": "down"}


def test_sigterm_ends_it_with_143(start) -> None:
    peer = start(STUCK)
    peer.process.send_signal(signal.SIGTERM)
    assert peer.line() is not None
    assert peer.line() is None
    assert peer.process.wait(PATIENCE) == 143


@pytest.mark.parametrize("handler", ["stuck", "computing"])
def test_a_handler_that_never_ends_is_answered_and_named(start, handler: str) -> None:
    peer = start(STUCK)
    peer.begin(handler)
    assert peer.next("notify")["message"] == "begun"
    peer.send({"type": "shutdown"})
    result = peer.next("tool_result")
    assert result["error"]["kind"] == "cancelled"
    if handler == "stuck":
        assert peer.next("notify")["message"] == "down"
        assert peer.next("shutdown_ack")
    assert peer.end() == 0
    assert f"tool {handler} would not stop" in peer.stderr()


def test_sigterm_ends_it_while_a_handler_keeps_its_event_loop(start) -> None:
    peer = start(
        """
        @ext.tool
        async def computing():
            ext.notify("computing")
            while True: pass
        """
    )
    peer.begin("computing")
    assert peer.next("notify")["message"] == "computing"
    peer.process.send_signal(signal.SIGTERM)
    assert peer.next("tool_result")["error"]["kind"] == "cancelled"
    assert peer.process.wait(PATIENCE) == 143
    said = "extline: ended 1.5s after shutdown; tool computing would not stop"
    assert said in peer.stderr().splitlines()


def test_a_handler_that_sees_its_cancel_in_time_is_answered_by_itself(start) -> None:
    peer = start(
        """
        @ext.tool
        def patient(ctx):
            ext.notify("begun")
            try:
                ctx.sleep(30)
            except Cancelled:
                return "in time"
        """
    )
    peer.begin("patient")
    assert peer.next("notify")["message"] == "begun"
    assert peer.shut_down() == 0
    assert peer.frames()[-2]["content"][0]["text"] == "in time"


def test_ctrl_c_while_it_waits_ends_it_in_order(start) -> None:
    peer = start(STUCK)
    peer.process.send_signal(signal.SIGINT)
    assert peer.next("notify")["message"] == "down"
    assert peer.line() is None
    assert peer.process.wait(PATIENCE) == -signal.SIGINT
    assert "KeyboardInterrupt" in peer.stderr()


@pytest.mark.parametrize("after", [0, 0.002, 0.05])
def test_ctrl_c_in_a_handler_is_answered_and_ends_it(start, after: float) -> None:
    peer = start(STUCK)
    peer.begin("begun")
    assert peer.next("notify")["message"] == "begun"
    # Before another thread takes the session over, while it does, and behind that.
    time.sleep(after)
    peer.process.send_signal(signal.SIGINT)
    assert peer.next("tool_result")["error"]["kind"] == "cancelled"
    assert peer.next("notify")["message"] == "down"
    assert peer.line() is None
    assert peer.process.wait(PATIENCE) == -signal.SIGINT


def test_the_main_thread_is_the_main_thread_also_where_another_took_over(start) -> None:
    peer = start(
        """
        import time

        @ext.tool
        def kept(ctx):
            while not ctx.cancelled: time.sleep(0.001)
            return which()

        @ext.tool
        def other(): return which()

        def which():
            import threading
            return threading.main_thread() is threading.current_thread()
        """
    )
    peer.begin("kept", "of-main")
    assert peer.call("other")["content"][0]["text"] == "false"
    peer.send({"type": "tool_cancel", "id": "of-main"})
    assert peer.next("tool_result")["content"][0]["text"] == "true"


def test_threading_knows_the_main_thread_also_where_another_imports_it(start) -> None:
    peer = start(
        """
        import time

        @ext.tool
        def kept(ctx):
            while not ctx.cancelled: time.sleep(0.001)
            return look()

        @ext.tool
        def other(): return look()

        def look():
            import sys
            from _thread import get_ident
            import threading
            main = threading.main_thread()
            return [main.ident == get_ident(), main.is_alive(), main in threading.enumerate()]

        @ext.tool
        def imported():
            import sys
            return "threading" in sys.modules
        """
    )
    # Importing it costs a first call some milliseconds.
    peer.begin("imported", "first")
    assert peer.next("tool_result")["content"][0]["text"] == "false"
    peer.begin("kept", "of-main")
    assert peer.call("other")["structured_content"] == [False, True, True]
    peer.send({"type": "tool_cancel", "id": "of-main"})
    assert peer.next("tool_result")["structured_content"] == [True, True, True]
    peer.process.stdin.close()
    assert peer.process.wait(PATIENCE) == 0
    assert peer.stderr() == ""


def test_ctrl_c_after_a_slow_call_is_seen_by_the_main_thread(start) -> None:
    peer = start(
        "import time\n@ext.tool\ndef slow():\n    time.sleep(0.05)\n@ext.tool\ndef well(): return 1\n"
    )
    peer.send(*(tool_call("slow", str(number)) for number in range(4)))
    for _ in range(4):
        peer.next("tool_result")
    peer.call("well")
    peer.process.send_signal(signal.SIGINT)
    assert peer.line() is None
    assert peer.process.wait(PATIENCE) == -signal.SIGINT


def test_a_host_that_is_gone_ends_it(start) -> None:
    peer = start("@ext.tool\ndef chatter(ctx):\n    while not ctx.cancelled: ext.notify('x')\n")
    peer.begin("chatter")
    peer.next("notify")
    peer.process.stdout.close()
    assert peer.process.wait(PATIENCE) == 0


def test_what_runs_after_run_runs(start) -> None:
    peer = start(
        """
        import atexit, sys
        atexit.register(lambda: sys.stderr.write("at exit\\n"))
        run = ext.run
        def run_and_say():
            run()
            sys.stderr.write("after run\\n")
        ext.run = run_and_say
        """
    )
    assert peer.shut_down() == 0
    assert peer.stderr() == "after run\nat exit\n"


def test_a_thread_of_the_author_that_never_ends_does_not_hold_the_process(start) -> None:
    peer = start(
        """
        import threading, time
        threading.Thread(target=lambda: time.sleep(1000)).start()
        """
    )
    assert peer.shut_down() == 0
    assert "takes too long" in peer.stderr()


@pytest.mark.parametrize("function", ["def", "async def"])
@pytest.mark.parametrize("is_gone", [False, True], ids=["", "the host is gone right behind its answer"])
def test_a_failed_setup_ends_it_and_says_why(start, function: str, is_gone: bool) -> None:
    peer = start(f"@ext.setup\n{function} prepare(): raise OSError('no disk')\n", ack=False)
    peer.next("hello")
    peer.send({"type": "hello_ack", "protocol_version": 1})
    if is_gone:
        peer.process.stdin.close()
    assert peer.line() is None
    assert peer.process.wait(PATIENCE) == 1
    assert "OSError: no disk" in peer.stderr()


def test_a_setup_that_the_end_cancels_has_not_failed(start) -> None:
    peer = start(
        """
        @ext.setup
        def prepare(ctx):
            print("begun", flush=True)
            ctx.sleep(60)
        """,
        ack=False,
    )
    peer.next("hello")
    peer.send({"type": "hello_ack", "protocol_version": 1})
    peer.process.stdin.close()
    assert peer.process.wait(PATIENCE) == 0
    assert peer.stderr() == "begun\n"


def test_a_slow_setup_keeps_the_host_waiting(start) -> None:
    peer = start(
        """
        import time

        @ext.setup
        def prepare(ctx):
            time.sleep(0.5)
            @ext.tool(name="in_" + ctx.host.model)
            def where(): return ctx.host.cwd
        """,
        ack=False,
    )
    peer.next("hello")
    peer.send({"type": "hello_ack", "protocol_version": 1, "model": "m", "cwd": "/c"})
    frames = [peer.next()]
    while frames[-1]["type"] != "ready":
        frames.append(peer.next())
    assert frames.count({"type": "subscribe"}) >= 2
    assert frames[-2]["name"] == "in_m"
    assert peer.call("in_m")["content"][0]["text"] == "/c"


def test_something_required_that_is_missing_ends_it_with_78(start) -> None:
    peer = start("ext.require('call_tool')\n", ack=False)
    peer.next("hello")
    peer.send({"type": "hello_ack", "protocol_version": 1, "capabilities": []})
    assert "does not offer the capability call_tool" in peer.next("notify")["message"]
    assert peer.line() is None
    assert peer.process.wait(PATIENCE) == 78


def test_a_capability_that_is_none_cannot_be_required() -> None:
    with pytest.raises(DefinitionError, match='there is no capability "teleport"; there are commands'):
        Extension("w", "1.0.0").require("teleport")


def test_a_fork_is_no_extension(start) -> None:
    peer = start(
        """
        import multiprocessing, os, subprocess, sys

        @ext.tool
        def fork(ctx):
            child = os.fork()
            if child == 0:
                try:
                    ctx.update("from the child")
                except RuntimeError as error:
                    sys.stderr.write(f"child: {error}\\n")
                os.write(1, b"stray")
                os._exit(7)
            return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

        @ext.tool
        def returning():
            child = os.fork()
            if child == 0:
                return "from the child"
            return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

        def square(n): print(n); return n * n

        @ext.tool
        def pool(method: str):
            context = multiprocessing.get_context(method)
            with context.Pool(2) as pool: return pool.map(square, [1, 2, 3])

        @ext.tool
        def run(): return subprocess.run(["echo", "stray"]).returncode
        """
    )
    assert peer.call("fork")["structured_content"] == 7
    assert "only the parent may talk to the host" in peer.stderr()
    assert peer.call("returning")["structured_content"] == 1
    for method in ("fork", "spawn"):
        assert peer.call("pool", method=method)["structured_content"] == [1, 4, 9]
    assert peer.call("run")["structured_content"] == 0
    assert peer.shut_down() == 0
    assert b"stray" not in peer.raw


def test_a_fork_in_an_event_loop_is_no_extension_either(start) -> None:
    peer = start(
        """
        import asyncio, os, sys

        def code_of(child): return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

        @ext.tool
        async def fork(ctx):
            child = os.fork()
            if child == 0:
                for say in (lambda: ctx.update("x"), lambda: ext.notify("x")):
                    try:
                        say()
                    except RuntimeError as error:
                        sys.stderr.write(f"child: {error}\\n")
                try:
                    await ctx.call_tool("bash")
                except RuntimeError as error:
                    sys.stderr.write(f"child: {error}\\n")
                os._exit(7)
            return code_of(child)

        @ext.tool
        async def returning():
            child = os.fork()
            return "from the child" if child == 0 else code_of(child)

        @ext.tool
        def in_a_thread():
            child = os.fork()
            return "from the child" if child == 0 else code_of(child)

        @ext.tool
        async def waiting():
            # The child comes to read what the host has written meanwhile.
            child = os.fork()
            if child == 0:
                await asyncio.sleep(60)
            return await asyncio.to_thread(code_of, child)

        @ext.command("fork")
        async def command(): return "from the child" if (child := os.fork()) == 0 else str(code_of(child))

        @ext.tool
        async def well(): return "well"
        """,
        capabilities=["tool_update", "call_tool"],
    )
    assert peer.call("fork")["structured_content"] == 7
    assert peer.stderr().count("child: ") == peer.stderr().count("only the parent may talk to the host") == 3
    for tool in ("returning", "in_a_thread"):
        assert peer.call(tool)["structured_content"] == 1
    assert peer.command("fork")["display"] == "1"
    peer.begin("waiting", "2")
    # The child sees what the parent's loop reads by, and ends instead of reading: every call of the
    # parent's is answered, by the parent.
    answers: dict[str, dict[str, object]] = {}
    for number in range(2000):
        if "2" in answers:
            break
        id = f"w{number}"
        peer.begin("well", id)
        while id not in answers:
            answer = peer.next("tool_result")
            answers[answer["id"]] = answer
    assert answers["2"]["structured_content"] == 1
    assert peer.stderr().count("the child of a fork is no extension") == 4
    assert peer.shut_down() == 0
    assert b"from the child" not in peer.raw
