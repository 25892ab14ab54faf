"""The kit in plain Python, broken on purpose: `kit_mutant.py NAME` breaks it in that way.

Without a name it passes every case for kits, those for SDKs too: its hello says that it is one.
Each function is one mistake, and the cases that must notice it name it under `mutants`.
"""
import base64
import json
import os
import re
import subprocess
import sys
import threading
import time
import unicodedata

import calls
import frames
import kit
import moments
import pipes
import registrations
import tools
from frames import Raw, encode
from kit import Kit
from moments import Intercept, Lane, Panel

MUTANTS = {}


def mutant(function):
    MUTANTS[function.__name__.rstrip("_").replace("_", "-")] = function
    return function


def replace(name, new):
    """Puts something else in the place of a function, wherever it was imported."""
    for module in (calls, frames, kit, moments, pipes, tools):
        if hasattr(module, name):
            setattr(module, name, new)


def around(owner, name):
    """Has a method replaced by a function that gets it as its first argument."""
    original = getattr(owner, name)

    def put(function):
        setattr(owner, name, lambda *args: function(original, *args))
    return put


def tool(name, function):
    """Replaces a tool; the function gets the call and the tool as it was."""
    original = tools.Tools.named

    def named(self):
        own = original(self)
        return {**own, name: lambda call: function(call, own[name])}
    tools.Tools.named = named


def written(change):
    """Changes each frame as text, on its way out."""
    original = frames.line
    replace("line", lambda frame: change(original(frame).decode()[:-1]).encode() + b"\n")


def members(change):
    """Changes each frame, on its way out."""
    original = frames.line
    replace("line", lambda frame: original(change(dict(frame))))


def results(change):
    members(lambda frame: change(frame) if frame["type"] == "tool_result" else frame)


def drop(kind, name):
    members(lambda frame: {key: value for key, value in frame.items() if frame["type"] != kind or key != name})


def echo(change):
    """Has the arguments go through native values that are changed."""
    tool("echo", lambda call, echo: Raw(json.dumps(change(call), ensure_ascii=False, separators=(",", ":"))))


def deep(value):
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if inner is None else 1 + max(map(deep, inner), default=0)


def without(value, unwanted):
    if isinstance(value, dict):
        return {key: without(one, unwanted) for key, one in value.items() if not unwanted(key, one)}
    return [without(one, unwanted) for one in value] if isinstance(value, list) else value


# ---- what it registers

@mutant
def no_hold():
    registrations.TOOLS[:] = [one for one in registrations.TOOLS if one[0] != "hold"]


@mutant
def other_schema():
    registrations.TOOLS[2] = ("text", "Gives a text back.", '{"type":"object"}')


@mutant
def more_tools():
    registrations.TOOLS.append(("more", "Is not wanted.", '{"type":"object"}'))


@mutant
def keys_sorted():
    def sort(value):
        if isinstance(value, dict):
            return {key: sort(value[key]) for key in sorted(value)}
        return [sort(one) for one in value] if isinstance(value, list) else value
    members(sort)


@mutant
def spaces():
    written(lambda text: text.replace('",', '", ', 1))


@mutant
def tools_first():
    def commands_last(register, self):
        commands, kit.COMMANDS = kit.COMMANDS, []
        register(self)
        for name, description, usage in commands:
            frame = {"type": "register_command", "name": name, "description": description}
            self.emit(frame if usage is None else {**frame, "usage": usage})
    around(Kit, "register")(commands_last)


@mutant
def short_names():
    def cut(call, self, frame, raw):
        call(self, {**frame, "name": str(frame.get("name"))[:63]}, raw)
    around(Kit, "on_tool_call")(cut)


# ---- values

@mutant
def floats():
    echo(lambda call: json.loads(call.raw["args"], parse_int=float))


@mutant
def nulls_dropped():
    echo(lambda call: without(call.args, lambda _, one: one is None))


@mutant
def args_sorted():
    echo(lambda call: dict(sorted(call.args.items())))


@mutant
def args_compact():
    echo(lambda call: call.args)


@mutant
def keys_lost():
    echo(lambda call: without(call.args, lambda key, _: key.startswith("__")))


def shallow(limit):
    def handle(handle, self, frame, raw):
        if deep(frame.get("args")) <= limit:
            handle(self, frame, raw)
    around(Kit, "on_tool_call")(handle)


@mutant
def shallow_32():
    shallow(32)


@mutant
def shallow_100():
    shallow(100)


@mutant
def half_pairs():
    frames.ESCAPE = re.compile("(?!)")


@mutant
def first_key():
    first = lambda pairs: dict(reversed(pairs))
    frames.DECODER = json.JSONDecoder(object_pairs_hook=first)


@mutant
def native_breaks():
    tool("native", lambda call, native: Raw(native(call).replace("\\u0000", "")))


@mutant
def number_floats():
    tool("number", lambda call, _: Raw(encode({"number": float(call.string("literal"))})))


@mutant
def line_ends_kept():
    frames.LINE_ENDS = re.compile("(?!)")


# ---- results and text

@mutant
def empty_is_nothing():
    tool("text", lambda call, text: text(call) or None)


@mutant
def none_is_text():
    tool("nothing", lambda *_: "None")


@mutant
def no_structured():
    drop("tool_result", "structured_content")


@mutant
def zero_dropped():
    results(lambda frame: {key: without(one, lambda _, two: two == 0) for key, one in frame.items()})


@mutant
def image_last():
    results(lambda frame: {**frame, "content": sorted(frame["content"], key=lambda one: one["type"] == "image")})


def base64_by(encoder):
    block = lambda data: {"type": "image", "mime_type": "image/png", "data": encoder(data).decode()}
    replace("image_block", block)


@mutant
def base64_url():
    base64_by(base64.urlsafe_b64encode)


@mutant
def base64_unpadded():
    base64_by(lambda data: base64.b64encode(data).rstrip(b"="))


@mutant
def image_lines():
    base64_by(base64.encodebytes)


@mutant
def line_limit():
    put = lambda reply, self, call, frame: reply(self, call, frame) if len(encode(frame)) < 2_000_000 else None
    around(Kit, "reply")(put)


@mutant
def no_limit():
    kit.FRAME_BYTES = 1 << 40


@mutant
def too_large_dies():
    put = lambda reply, self, call, frame: reply(self, call, frame) if len(encode(frame)) < 4_194_304 else os._exit(1)
    around(Kit, "reply")(put)


@mutant
def limit_fixed():
    def forget(ack, self, frame, raw):
        ack(self, {**frame, "limits": {}}, raw)
    around(Kit, "on_hello_ack")(forget)


@mutant
def long_args():
    around(Kit, "parse")(lambda parse, self, data, first: parse(self, data, first) if len(data) < 1_000_000 else None)


@mutant
def ascii_escapes():
    written(lambda text: "".join(one if ord(one) < 128 else json.dumps(one)[1:-1] for one in text))


@mutant
def normalises():
    tool("text", lambda call, text: unicodedata.normalize("NFC", text(call)))


@mutant
def escapes_kept():
    tool("text", lambda call, _: call.raw["args"][len('{"text":"'):-len('"}')])


@mutant
def splits_unicode():
    def lines(lines, self):
        for line in lines(self):
            yield from (part.encode() for part in line.decode("utf-8", "replace").splitlines())
    around(Kit, "lines")(lines)


@mutant
def escapes_more():
    written(lambda text: text.replace("\x7f", "\\u007f"))


@mutant
def escapes_upper():
    written(lambda text: re.sub(r"\\u00(..)", lambda found: "\\u00" + found.group(1).upper(), text))


@mutant
def pasted_text():
    def paste(frame):
        text = frame["content"][0].get("text", "") if frame.get("content") else ""
        return {**frame, "content": Raw('[{"type":"text","text":"' + text + '"}]')}
    results(paste)


@mutant
def half_out():
    replace("line", lambda frame: encode(frame).encode("utf-8", "surrogatepass") + b"\n")


@mutant
def chunk_decodes():
    read = os.read
    os.read = lambda pipe, size: read(pipe, size).decode("utf-8", "replace").encode()


@mutant
def c_strings():
    tool("text", lambda call, text: text(call).partition("\0")[0])


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


def some(owner, name, wanted):
    """Has a method called only where that is so of how often it was called."""
    count = []

    def only(method, *args):
        count.append(1)
        return method(*args) if wanted(len(count)) else None
    around(owner, name)(only)


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

def command(function):
    around(Kit, "command")(lambda command, self, name, args, call: function(
        lambda args=args: command(self, name, args, call), name, args, call))


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


# ---- cancels and updates

@mutant
def cancel_mute():
    def mute(reply, self, call, frame):
        if not getattr(call, "cancelled", False):
            reply(self, call, frame)
    around(Kit, "reply")(mute)


@mutant
def cancel_words():
    written(lambda text: text.replace('"text":"cancelled"', '"text":"the call was cancelled"'))


@mutant
def cancel_late():
    def late(cancel, self, frame, raw):
        call = self.calls.get(("tool_call", frame.get("id")))
        if call is None or time.monotonic() - call.began > 5:
            cancel(self, frame, raw)

    def began(init, self, *args):
        self.began = time.monotonic()
        init(self, *args)
    around(calls.Call, "__init__")(began)
    around(Kit, "on_tool_cancel")(late)


def cancelled_frame(frame):
    error = {"kind": "cancelled", "message": "cancelled"}
    return {"type": "tool_result", "id": frame["id"], "content": [calls.text_block("cancelled")], "is_error": True, "error": error}


@mutant
def cancel_answers():
    def answer(cancel, self, frame, raw):
        if ("tool_call", frame["id"]) not in self.calls:
            self.emit(cancelled_frame(frame))
        cancel(self, frame, raw)
    around(Kit, "on_tool_cancel")(answer)


@mutant
def cancel_each():
    around(Kit, "on_tool_cancel")(lambda cancel, self, frame, raw: self.emit(cancelled_frame(frame)))


@mutant
def cancel_all():
    def everybody(cancel, self, frame, raw):
        for kind, call in list(self.calls):
            cancel(self, {"id": call}, raw)
    around(Kit, "on_tool_cancel")(everybody)


@mutant
def cancel_kept():
    kept = set()
    around(Kit, "on_tool_cancel")(lambda cancel, self, frame, raw: (kept.add(frame["id"]), cancel(self, frame, raw)))

    def begin(begin, self, kind, frame, call):
        begun = begin(self, kind, frame, call)
        if frame.get("id") in kept:
            self.reply(self.calls[kind, frame["id"]], cancelled_frame(frame))
        return begun
    around(Kit, "begin")(begin)
    tool("text", lambda call, text: text(call))


@mutant
def seq_zero():
    members(lambda frame: {**frame, "seq": frame["seq"] - 1} if "seq" in frame else frame)


@mutant
def seq_gaps():
    members(lambda frame: {**frame, "seq": frame["seq"] * 2 - 1} if "seq" in frame else frame)


@mutant
def update_flood():
    def flood(update, self, **progress):
        self.seq += 1
        self.kit.emit({"type": "tool_update", "id": self.id, "seq": self.seq, "progress": progress})
    original = calls.Call.update
    calls.Call.update = lambda self, **progress: flood(original, self, **progress)


@mutant
def update_late():
    def late(self):
        with self.kit.changed:
            if self.unsent is not None:
                self.seq, self.next_update, self.unsent = self.seq + 1, time.monotonic() + 0.05, None
                self.kit.emit({"type": "tool_update", "id": self.id, "seq": self.seq})
    calls.Call.send_update = late


def all_named():
    def named(ack, self, frame, raw):
        ack(self, frame, raw)
        self.host_names = ["tool_update", "log", "call_tool"]
    around(Kit, "on_hello_ack")(named)


@mutant
def update_unasked():
    all_named()


@mutant
def log_unasked():
    all_named()


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


# ---- failures and output

@mutant
def kinds_lost():
    members(lambda frame: {**frame, "error": {**frame["error"], "kind": "internal"}} if frame["type"] == "tool_result" and "error" in frame else frame)


@mutant
def error_unflagged():
    drop("tool_result", "is_error")


@mutant
def error_short():
    def short(frame):
        return {**frame, "error": {key: frame["error"][key] for key in ("kind", "message")}} if "error" in frame else frame
    results(short)


def dies_of(kind):
    def die(answer, call, run):
        try:
            return run()
        except kind:
            os._exit(1)
    tool("fail", lambda call, fail: die(None, call, lambda: fail(call)))
    command(lambda answer, name, args, call: die(None, call, answer))


@mutant
def throws_die():
    dies_of(ValueError)


@mutant
def panics_die():
    dies_of(SystemExit)


@mutant
def returns_die():
    dies_of(TypeError)


@mutant
def no_claim():
    replace("claim", lambda: (0, 1))


@mutant
def stderr_is_stdout():
    def stray(call, _):
        call.kit.writer.waiting.put(b"x" * call.count("n") + b"\n")
        return "written"
    tool("stderr", stray)


@mutant
def notes_late():
    around(Kit, "notify")(lambda notify, self, message: threading.Timer(0.05, notify, (self, message)).start())


@mutant
def level_odd():
    members(lambda frame: {**frame, "level": "note"} if frame["type"] == "notify" else frame)


@mutant
def log_to_stderr():
    def log(call, _):
        print(call.string("message"), file=sys.stderr)
        return "logged"
    tool("log", log)


# ---- the end

@mutant
def ack_before_answers():
    def early(end, self, shutdown):
        self.emit({"type": "shutdown_ack"})
        end(self, False)
    around(Kit, "end")(early)


@mutant
def open_at_end():
    def forget(end, self, shutdown):
        self.calls.clear()
        end(self, shutdown)
    around(Kit, "end")(forget)


@mutant
def waits_for_all():
    kit.LAST_RESULTS = 30


@mutant
def child_lives():
    def spawn(*_):
        null = subprocess.DEVNULL
        subprocess.Popen(["sleep", "20"], stdin=null, stdout=null, stderr=null, start_new_session=True)
        return "started"
    tool("spawn_child", spawn)


@mutant
def runs_after_shutdown():
    Kit.ending = property(lambda self: False, lambda self, value: None)


# ---- events and intercepts

def in_threads(lane):
    put = Lane.put

    def start(self, item):
        if self.name == lane:
            threading.Thread(target=self.handle, args=(item,), daemon=True).start()
        else:
            put(self, item)
    Lane.put = start


@mutant
def events_threads():
    in_threads("events")


@mutant
def keys_threads():
    in_threads("panel")


@mutant
def events_block():
    Lane.put = lambda self, item: self.handle(item)


@mutant
def event_text_needed():
    def label(event):
        return event["event"] + " " + event["text"]
    replace("label", label)


def lane_dies():
    def run(self):
        while True:
            try:
                self.handle(self.waiting.get())
            except ValueError:
                os._exit(1)
    Lane.run = run


@mutant
def event_throws_die():
    lane_dies()


@mutant
def key_throws_die():
    lane_dies()


def answers(change):
    around(Intercept, "answer")(lambda answer, self, members: answer(self, change(members)))


@mutant
def allow_says_false():
    answers(lambda members: {"block": False, **members})


@mutant
def block_bare():
    drop("event_intercept_response", "reason")


@mutant
def rewrite_loses():
    moments.INTERCEPTORS[0] = lambda args: {"first": True} if args.get("do") == "rewrite" else None


@mutant
def second_blind():
    del moments.INTERCEPTORS[1]


@mutant
def guard_blind():
    def blind(run, self):
        args = self.frame.get("tool_args")
        guard = moments.guard
        replace("guard", lambda _: guard(args))
        return run(self)
    around(Intercept, "on_tool_call")(blind)


@mutant
def phase_ignored():
    def both(run, self):
        self.frame.pop("phase", None)
        return run(self)
    around(Intercept, "on_tool_call")(both)


@mutant
def throws_allow():
    around(Intercept, "fail")(lambda fail, self, reason: self.answer({}))


@mutant
def hangs():
    Intercept.run = Intercept.decide


@mutant
def late_counts():
    def answer(self, members):
        self.answered.set()
        self.kit.emit({"type": "event_intercept_response", "id": self.frame["id"], **members})
    Intercept.answer = answer


@mutant
def empty_dropped():
    answers(lambda members: {key: one for key, one in members.items() if one})


@mutant
def intercepts_lost():
    some(Kit, "on_event_intercept", lambda count: count < 60)


@mutant
def nobody_mute():
    def known(ask, self, frame, raw):
        if frame.get("event") in registrations.SUBSCRIPTION["intercept"]:
            ask(self, frame, raw)
    around(Kit, "on_event_intercept")(known)


@mutant
def one_by_one_intercepts():
    def wait(run, self):
        with self.kit.changed:
            self.kit.changed.wait_for(lambda: not any(kind == "tool_call" for kind, _ in self.kit.calls))
        run(self)
    around(Intercept, "run")(wait)


# ---- the panel

@mutant
def footer_once():
    drop("panel_render", "footer")


def always_open():
    Panel.is_open = property(lambda self: True, lambda self, value: None)


@mutant
def draws_closed():
    always_open()


@mutant
def keys_after_close():
    always_open()


@mutant
def any_panel():
    always_open()
    around(Panel, "arrived")(lambda arrived, self, frame: arrived(self, {**frame, "panel_id": "keys"}))


@mutant
def opens_once():
    opened = Panel.open

    def once(self, title):
        frame = opened(self, title)
        self.is_open = self.opening == 1
        return frame
    Panel.open = once


@mutant
def one_byte_keys():
    around(Panel, "key")(lambda press, self, key, text: press(self, key, text[:1]))


@mutant
def keys_lost_fast():
    some(Panel, "arrived", lambda count: count % 7)


if __name__ == "__main__":
    kit.HELLO["sdk"] = {"name": "none", "version": "1.0.0", "language": "python"}
    for name in sys.argv[1:]:
        MUTANTS[name]()
    Kit().run()
