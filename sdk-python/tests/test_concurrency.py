"""Several calls at a time, cancels, full pipes, the order of events: sync handlers."""

from __future__ import annotations

import json
import os
import threading
import time

from wire import PATIENCE, text, tool_call

NAP = """
    import threading, time

    @ext.tool
    def nap(seconds: float, ctx):
        began = time.monotonic()
        while not ctx.cancelled and time.monotonic() - began < seconds:
            time.sleep(0.001)
        return {"cancelled": ctx.cancelled, "after": time.monotonic() - began}

    @ext.tool
    def quick(): return threading.current_thread().name
"""


def test_a_cancel_in_the_same_write_is_seen_at_once(start) -> None:
    peer = start(NAP)
    peer.send(tool_call("nap", seconds=20), {"type": "tool_cancel", "id": "1"})
    assert peer.next("tool_result")["structured_content"]["cancelled"] is True


def test_a_cancel_reaches_a_handler_that_computes(start) -> None:
    peer = start(
        """
        @ext.tool
        def compute(ctx):
            ext.notify("begun")
            while not ctx.cancelled:
                sum(range(1000))
            return "stopped"
        """
    )
    peer.begin("compute")
    assert peer.next("notify")["message"] == "begun"
    peer.send({"type": "tool_cancel", "id": "1"})
    assert text(peer.next("tool_result")) == "stopped"


def test_sleep_ends_with_the_cancel_and_is_answered_as_cancelled(start) -> None:
    peer = start("@ext.tool\ndef nap(ctx):\n    ctx.sleep(20)\n")
    peer.begin("nap")
    time.sleep(0.05)
    peer.send({"type": "tool_cancel", "id": "1"})
    result = peer.next("tool_result")
    assert (text(result), result["error"]["kind"]) == ("cancelled", "cancelled")


def test_more_sleeping_calls_than_threads_hide_nothing(start) -> None:
    peer = start(NAP)
    peer.send(*(tool_call("nap", str(number), seconds=30) for number in range(40)))
    # 32 run; the others wait, and so does this one, but a request to nobody is answered at once.
    peer.send(tool_call("quick", "canary"), tool_call("nowhere", "unknown"))
    assert peer.next("tool_result")["id"] == "unknown"
    peer.send({"type": "tool_cancel", "id": "0"})
    first = peer.next("tool_result")
    assert (first["id"], first["structured_content"]["cancelled"]) == ("0", True)
    assert peer.shut_down() == 0
    answered = [frame["id"] for frame in peer.frames() if frame["type"] == "tool_result"]
    assert sorted(answered) == sorted([*map(str, range(40)), "canary", "unknown"])
    assert peer.frames()[-1] == {"type": "shutdown_ack"}


def test_one_handler_at_a_time_if_so_wanted(start) -> None:
    peer = start(
        """
        import time
        ext = Extension("one", "1.0.0", max_threads=1)
        running = []

        @ext.tool
        def alone(ctx):
            running.append(1)
            ctx.sleep(0.02)
            count = len(running)
            running.pop()
            return count
        """
    )
    peer.send(*(tool_call("alone", str(number)) for number in range(5)))
    assert [peer.next("tool_result")["structured_content"] for _ in range(5)] == [1] * 5


def test_quick_calls_stay_on_the_main_thread_and_come_back_to_it(start) -> None:
    peer = start(NAP)
    assert text(peer.call("quick")) == "MainThread"
    peer.send(tool_call("nap", "slow", seconds=600), tool_call("quick", "other"))
    other = peer.next("tool_result")
    assert (other["id"], text(other)) == ("other", "extline-1")
    peer.send({"type": "tool_cancel", "id": "slow"})
    assert peer.next("tool_result")["id"] == "slow"
    # It is handed back as soon as the main thread is free.
    until = time.monotonic() + PATIENCE
    while (name := text(peer.call("quick"))) != "MainThread" and time.monotonic() < until:
        time.sleep(0.01)
    assert name == "MainThread"


def test_both_pipes_full_is_no_deadlock(start) -> None:
    peer = start("@ext.tool\ndef echo(text: str): return text\n")
    calls = [tool_call("echo", str(number), text="x" * 10_000) for number in range(400)]
    # Nothing is read until everything is written, which is more than both pipes hold; when the
    # second part comes, the answers to the first fill the way back.
    peer.send(*calls[:100])
    time.sleep(0.3)
    peer.send(*calls[100:])
    answered = {}
    for _ in calls:
        result = peer.next("tool_result")
        answered[result["id"]] = len(text(result))
    assert answered == {str(number): 10_000 for number in range(400)}
    assert peer.shut_down() == 0


def test_a_large_result_passes_while_others_are_answered(start) -> None:
    peer = start("@ext.tool\ndef large(n: int): return 'é' * n\n@ext.tool\ndef small(): return 's'\n")
    peer.send(tool_call("large", "l", n=1_000_000), tool_call("small", "s"))
    time.sleep(0.1)
    assert len(text(peer.next("tool_result"))) == 1_000_000
    assert peer.next("tool_result")["id"] == "s"
    too_large = peer.call("large", n=3_000_000)
    assert too_large["error"]["kind"] == "too_large"


def test_events_come_one_at_a_time_in_order_beside_calls(start) -> None:
    peer = start(
        """
        import time
        seen = []

        @ext.on("turn_start")
        def began(event):
            time.sleep(0.003)
            seen.append(event.step)

        @ext.tool
        def told(): return list(seen)
        """
    )
    events = [{"type": "event", "event": "turn_start", "step": step} for step in range(30)]
    peer.send(*events[:15], tool_call("told", "early"), *events[15:])
    early = peer.next("tool_result")["structured_content"]
    assert early == list(range(len(early)))
    while len(seen := peer.call("told")["structured_content"]) < 30:
        time.sleep(0.01)
    assert seen == list(range(30))


def test_panel_keys_come_in_order(start) -> None:
    peer = start(
        """
        import time
        keys = []

        @ext.command("show")
        def show(args): return Response.open_panel(Panel("p", title="T", lines=["one"]))

        @ext.panel("p")
        def pressed(input, ctx):
            time.sleep(0.002)
            keys.append(input.key)
            ctx.panel("p").render(lines=["".join(keys)])
        """
    )
    assert peer.command("show")["open_panel"] == {"id": "p", "title": "T", "lines": ["one"]}
    keys = "abcdefghijklmnop"
    peer.send(*({"type": "panel_key", "panel_id": "p", "key": key} for key in keys))
    for count in range(1, len(keys) + 1):
        frame = peer.next("panel_render")
        assert (frame["title"], frame["lines"]) == ("T", [keys[:count]])


def test_a_handler_that_holds_a_lock_and_calls_the_host(start) -> None:
    peer = start(
        """
        import threading
        lock = threading.Lock()

        @ext.tool
        def ask(n: int, ctx):
            with lock:
                return ctx.call_tool("add", n=n).text
        """,
        capabilities=["call_tool"],
    )
    peer.send(*(tool_call("ask", str(number), n=number) for number in range(8)))
    answers = {}
    while len(answers) < 8:
        frame = peer.next()
        if frame["type"] == "call_tool":
            assert frame["parent_id"] == str(frame["args"]["n"])
            reply = {"type": "text", "text": f"sum {frame['args']['n']}"}
            peer.send({"type": "tool_result", "id": frame["id"], "name": "add", "content": [reply]})
        else:
            answers[frame["id"]] = text(frame)
    assert answers == {str(number): f"sum {number}" for number in range(8)}


def test_what_the_host_refuses_is_raised(start) -> None:
    peer = start(
        """
        @ext.tool
        def ask(ctx):
            try:
                ctx.call_tool("add")
            except ToolError as error:
                return f"{error.kind}: {error}"
        """
    )
    assert text(peer.call("ask")).startswith("unsupported: the host does not let extensions")


def test_requests_go_to_the_host_and_come_from_it(start) -> None:
    peer = start(
        """
        @ext.method("health.check")
        def health(params): return {"ok": params}

        @ext.tool
        def ask(ctx): return ctx.request("ui.confirm", {"question": "well?"})
        """,
        capabilities=["rpc"],
        methods=["ui.confirm"],
    )
    assert peer.start[0]["methods"] == ["health.check"]
    peer.send({"type": "request", "id": "9", "method": "health.check", "params": [1]})
    assert peer.next("response") == {"type": "response", "id": "9", "result": {"ok": [1]}}
    peer.begin("ask")
    request = peer.next("request")
    assert request["params"] == {"question": "well?"}
    peer.send({"type": "response", "id": request["id"], "result": {"yes": True}})
    assert peer.next("tool_result")["structured_content"] == {"yes": True}


def test_threads_of_the_author_may_say_something(start) -> None:
    peer = start(
        """
        import threading

        @ext.tool
        def spread(ctx):
            def say(number):
                for _ in range(50): ext.notify(f"{number}")
            threads = [threading.Thread(target=say, args=[n]) for n in range(4)]
            for thread in threads: thread.start()
            for thread in threads: thread.join()
            return "said"
        """
    )
    peer.begin("spread")
    notes = [peer.next("notify")["message"] for _ in range(200)]
    assert sorted(notes) == sorted(str(number) for number in range(4) for _ in range(50))
    assert peer.next("tool_result")


def test_a_host_that_reads_slowly_gets_every_frame_whole(start) -> None:
    peer = start("@ext.tool\ndef echo(n: int): return 'y' * n\n")
    sizes = [1, 70_000, 3, 200_000, 5]
    writer = threading.Thread(
        target=lambda: peer.send(
            *(tool_call("echo", str(at), n=n) for at, n in enumerate(sizes * 4))
        )
    )
    writer.start()
    raw = b""
    while raw.count(b"\n") < len(sizes) * 4:
        raw += os.read(peer.process.stdout.fileno(), 1000)
    writer.join()
    assert [len(text(json.loads(line))) for line in raw.splitlines()] == sizes * 4
