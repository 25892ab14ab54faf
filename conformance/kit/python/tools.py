"""The tools. What each returns is its answer: a string, a Raw, None, or the members of a result."""
import atexit
import json
import os
import subprocess
import sys
import time

from calls import Failed, image_block, text_block
from frames import Raw, encode
from registrations import LONGEST
from services import Services

MESSAGE = "it was to fail"
KINDS = {"validation", "not_found", "permission", "transient", "timeout", "cancelled", "conflict", "stale",
         "budget", "unsupported", "too_large", "protocol", "internal", "fatal"}


def native(value):
    """Through the language's own values and back."""
    if isinstance(value, dict):
        return {name: native(one) for name, one in value.items()}
    return [native(one) for one in value] if isinstance(value, list) else value


def tool_fail(call):
    how = call.string("how")
    if how in KINDS:
        raise Failed(how, MESSAGE)
    if how == "full":
        raise Failed("conflict", MESSAGE, field="/how", hint="ask for something else",
                     causes=["first", "second"], retry_after_ms=1500)
    if how == "throw":
        raise ValueError(MESSAGE)
    if how == "panic":
        raise SystemExit(MESSAGE)
    if how == "return":
        return Raw(json.dumps({"no": object()}))
    if how == "exit":
        os._exit(7)
    os.abort()


def tool_stdout(call):
    via = call.string("via")
    if via == "print":
        print("stray print\nhalf a line", end="", flush=True)
    elif via == "write":
        os.write(1, b"stray write\n")
    elif via == "child":
        subprocess.run(["sh", "-c", "cat; echo stray child"], check=True)
    else:
        atexit.register(print, "stray at_exit")
    return "printed"


def tool_updates(call):
    n, ms = call.count("n"), call.count("ms")
    for i in range(1, n + 1):
        call.update(done=i, total=n, message=f"step {i}")
        call.wait(lambda: False, ms / 1000)
    return "done"


def tool_busy(call):
    until = time.monotonic() + call.count("ms") / 1000
    while time.monotonic() < until and not call.cancelled:
        pass
    return "cancelled: " + str(call.cancelled).lower()


def tool_full(_):
    return {"content": [text_block("full")], "activate_tools": ["declared"], "details": {"lines": 0},
            "view": {"kind": "lines", "lines": ["full"]},
            "effects": [{"kind": "file", "op": "modify", "path": "notes.md", "bytes_before": 0, "bytes_after": 12},
                        {"kind": "process", "command": "make", "pid": 7, "exit_code": 0}],
            "trust": "untrusted"}


def tool_bytes(call):
    n = call.count("n")
    if call.args.get("kind") != "image":
        return "x" * n
    return {"content": [image_block((bytes(range(256)) * (n // 256 + 1))[:n])]}


class Tools:
    """The tools that need what the kit remembers."""

    def __init__(self, kit):
        self.kit, self.released, self.calls, self.labels, self.children = kit, set(), 0, [], []
        self.paid, self.paid_for = 0, None
        self.asks, self.asked = 0, {}  # What the host was asked, with its answers.

    def hold(self, call, name):
        call.wait(lambda: name in self.released)
        return "held " + name

    def release(self, call):
        with self.kit.changed:
            self.released.add(call.string("name"))
            self.kit.changed.notify_all()
        return "released"

    def counter(self, _):
        with self.kit.changed:
            self.calls += 1
            return str(self.calls)

    def pay(self, call):
        with self.kit.changed:
            if call.reconcile:
                state = "completed" if self.paid_for == call.key else "not_started"
                return Raw(encode({"state": state}))
            self.paid, self.paid_for = self.paid + 1, call.key
            return Raw(encode({"key": call.key, "paid": self.paid}))

    def order(self, call):
        count = call.count("count")
        call.wait(lambda: len(self.labels) >= count)
        with self.kit.changed:
            labels, self.labels[:] = self.labels[:], []
        return Raw(encode(labels))

    def sleep(self, call):
        call.wait(lambda: False, call.count("ms") / 1000)
        return "slept"

    def await_cancel(self, call):
        call.update(message="waiting")
        call.wait(lambda: False)

    def notify_then(self, call):
        for i in range(1, call.count("n") + 1):
            self.kit.notify(f"note {i}")
        return "done"

    def log(self, call):
        level, message = call.string("level"), call.string("message")
        if "log" in self.kit.host_names:
            self.kit.emit({"type": "log", "level": level, "message": message})
        else:
            print(f"{level}: {message}", file=sys.stderr, flush=True)
        return "logged"

    def stderr(self, call):
        sys.stderr.write("x" * call.count("n") + "\n")
        sys.stderr.flush()
        return "written"

    def spawn_child(self, _):
        child = subprocess.Popen(["cat"], stdin=subprocess.PIPE)
        self.children.append(child)  # Its stdin is open as long as this is kept.
        return "started"

    def ask(self, call):
        name = call.string("name")
        if "call_tool" not in self.kit.host_names:
            raise Failed("unsupported", "the host takes no call_tool")
        with self.kit.changed:
            self.asks += 1
            ask = str(self.asks)
            self.asked[ask] = None
            self.kit.emit({"type": "call_tool", "id": ask, "name": name, "args": call.args.get("args") or {},
                           "parent_id": call.id})
        try:
            call.wait(lambda: self.asked[ask] is not None)
        except Failed:
            self.kit.emit({"type": "call_tool_cancel", "id": ask})
            raise
        finally:
            answer = self.asked.pop(ask)
        text = "".join(block.get("text", "") for block in answer["content"])
        if answer.get("is_error"):
            raise Failed("internal", text)
        return text

    def request(self, call):
        parts, result = self.kit.questions.ask(call, call.string("method"), call.args.get("params") or {})
        return Raw(encode({"parts": parts, "result": result}))

    def propose(self, call):
        label, handle = call.string("label"), self.kit.proposals.add(call.string("label"))
        _, answer = self.kit.questions.ask(call, "pending.push", {"handle": handle, "label": label})
        return f"proposed {answer['action_id']}"

    def confirm(self, call):
        said = "yes" if self.kit.questions.confirm(call, call.string("title")) else "no"
        return said + (" too late" if call.until is not None and time.monotonic() > call.until else "")

    def config(self, _):
        return Raw(encode(self.kit.config))

    def report(self, call):
        ack, names = self.kit.ack, self.kit.host_names
        host = ack.get("host") or {}
        return Raw(encode({
            "call_id": call.id, "host": host.get("name", ""), "host_version": host.get("version", ""),
            "model": ack.get("model", ""), "cwd": ack.get("cwd", ""), "data_dir": ack.get("data_dir", ""),
            "deadline": isinstance(call.frame.get("deadline_ms"), int),
            "tool_update": "tool_update" in names, "call_tool": "call_tool" in names}))

    def named(self):
        own = {name: getattr(self, name) for name in (
            "release", "counter", "pay", "order", "sleep", "await_cancel", "notify_then", "log", "stderr",
            "spawn_child", "report", "config", "ask", "request", "confirm", "propose")}
        return {
            "echo": lambda call: call.raw.get("args") if call.frame.get("args") is not None else Raw("{}"),
            "native": lambda call: Raw(encode(native(call.args))),
            "text": lambda call: call.string("text"),
            "typed": lambda call: call.string("city"),
            "number": lambda call: Raw('{"number":' + call.string("literal") + "}"),
            "nothing": lambda _: None,
            "half": lambda _: "\ud83d",
            "bytes": tool_bytes,
            "image": lambda _: {"content": [text_block("before"), image_block(b"\x89PNG\r\n\x1a\n"),
                                            text_block("after")]},
            "full": tool_full,
            "hold": lambda call: self.hold(call, call.string("name")),
            "busy": tool_busy, "updates": tool_updates, "fail": tool_fail, "stdout": tool_stdout,
            "declared": lambda _: "declared",
            LONGEST: lambda _: "named",
            **own, **Services(self.kit).named()}
