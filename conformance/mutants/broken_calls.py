"""Mistakes of the kit: calls, commands, and what it asks the host."""
import os
import threading
import time

import calls
import frames
import kit
import pipes
from frames import Raw
from kit import Kit
from mutation import all_named, around, command, drop, members, mutant, some, tool, written


# ---- calls

class Now:
    """In the place of a thread: runs at once, in the thread that reads."""

    def __init__(self, target, args=(), daemon=True):
        self.start = lambda: target(*args)


def at_once(name):
    def inside(handle, self, frame, raw):
        thread, threading.Thread = threading.Thread, Now
        try:
            handle(self, frame, raw)
        finally:
            threading.Thread = thread
    around(Kit, name)(inside)


def reconciling(change):
    def put(tool, call):
        asked = call.reconcile
        return change(tool, call) if asked else tool(call)
    tool("pay", lambda call, pay: put(pay, call))


@mutant
def reconcile_does():
    def done(pay, call):
        told = pay(call)
        call.reconcile = False
        pay(call)
        return told
    reconciling(done)


@mutant
def reconcile_unknown():
    reconciling(lambda *_: Raw('{"state":"unknown"}'))


@mutant
def reconcile_entered():
    kit.MORE = {**kit.MORE, "counter": {"replay": "reconcile"}}


@mutant
def one_by_one():
    at_once("on_tool_call")


@mutant
def one_command():
    at_once("on_command_invoked")


@mutant
def answers_swapped():
    before = []

    def swap(call, text):
        before.append(text(call))
        return before[max(len(before) - 2, 0)]
    tool("text", swap)



@mutant
def forgets_late():
    some(Kit, "reply", lambda count: count < 150)


@mutant
def mixes_lines():
    def halves(reply, self, call, frame):
        data = frames.line(frame)
        self.writer.waiting.put(data[:len(data) // 2])
        time.sleep(0.02)
        self.writer.waiting.put(data[len(data) // 2:])
        self.close(call.kind, call.id)
    around(Kit, "reply")(halves)


@mutant
def one_table():
    def only(begin, self, kind, frame, call):
        return not any(open_id == frame.get("id") for _, open_id in self.calls) and begin(self, kind, frame, call)
    around(Kit, "begin")(only)


@mutant
def id_twice():
    def always(begin, self, kind, frame, call):
        self.calls.pop((kind, frame.get("id")), None)
        return begin(self, kind, frame, call)
    around(Kit, "begin")(always)


@mutant
def unknown_words():
    written(lambda text: text.replace("unknown tool", "no such tool"))


@mutant
def args_needed():
    around(Kit, "on_tool_call")(lambda call, self, frame, raw: call(self, {**frame, "args": frame.get("args", 0)}, raw))


@mutant
def any_args():
    def take(call, self, frame, raw):
        call(self, {**frame, "args": frame["args"] if isinstance(frame.get("args"), dict) else None}, raw)
    around(Kit, "on_tool_call")(take)


@mutant
def field_parent():
    written(lambda text: text.replace('"field":"/city"', '"field":""'))


@mutant
def strict_args():
    def strict(call, typed):
        if len(call.args) > 1:
            raise calls.Failed("validation", "too much")
        return typed(call)
    tool("typed", strict)


@mutant
def runs_twice():
    tool("counter", lambda call, counter: (counter(call), counter(call))[1])


@mutant
def no_context():
    tool("report", lambda *_: Raw("{}"))


@mutant
def ack_first():
    around(Kit, "on_tool_call")(lambda call, self, frame, raw: call(self, frame, raw) if self.ack else None)


@mutant
def drops_blocked():
    def run(self):
        os.set_blocking(self.pipe, False)
        for data in iter(self.waiting.get, None):
            try:
                os.write(self.pipe, data)
            except BlockingIOError:
                pass
    pipes.Writer.run = run


# ---- commands

@mutant
def args_trimmed():
    command(lambda answer, name, args, call: answer(args.strip()))


@mutant
def args_null():
    command(lambda answer, name, args, call: {**answer(), **({"display": None} if not args else {})})


@mutant
def action_text():
    members(lambda frame: {"text" if key == "insert" else key: one for key, one in frame.items()})


@mutant
def command_fails_mute():
    command(lambda answer, name, args, call: time.sleep(60) if name == "fail" else answer())


@mutant
def tool_prompt_always():
    members(lambda frame: {**frame, "action": "tool_prompt"} if frame.get("action") == "prompt" else frame)


# ---- what it asks the host

@mutant
def ask_unasked():
    all_named()


@mutant
def no_parent():
    drop("call_tool", "parent_id")


@mutant
def child_uncancelled():
    around(Kit, "emit")(lambda emit, self, frame: emit(self, frame) if frame["type"] != "call_tool_cancel" else None)


@mutant
def any_answer():
    def take(result, self, frame, raw):
        # The first one counts, however long the handler takes to look at it.
        for ask in [ask for ask, answer in self.tools.asked.items() if answer is None]:
            result(self, {**frame, "id": ask}, raw)
    around(Kit, "on_tool_result")(take)
