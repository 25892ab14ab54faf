"""The kit in plain Python, written by hand from conformance/kit/surface.toml: no SDK, the standard
library of Python 3.10. docs/tester/kits.md says what a kit is.

One thread reads, one writes, each call has a thread of its own, and so have the events and the panel,
whose frames must be handled in order.
"""
import os
import signal
import sys
import threading
import time
import traceback

from calls import Call, Failed, cancelled, error_frame, result_frame
from frames import Raw, line, members
from moments import Intercept, Lane, Panel, handle_event, is_wanted
from pipes import Writer, claim
from registrations import COMMANDS, METHODS, MORE, SUBSCRIPTION, TOOLS
from rpc import CANCELLED, Asked, Proposals, Questions
from tools import MESSAGE, Tools

HELLO = {"type": "hello", "name": "extline-kit", "version": "1.0.0",
         "capabilities": ["commands", "tools", "events", "panels", "tool_cancel", "call_tool", "tool_update", "log",
                          "rpc", "config", "view", "event_filters"],
         "methods": METHODS}
FRAME_BYTES = 4_194_303
SHUTDOWN, END_OF_STDIN, SIGTERM = b"s", b"e", bytes([signal.SIGTERM])
LAST_RESULTS = 1.0  # Seconds for the results that come after the end began.


class Kit:
    def __init__(self):
        self.stdin, stdout = claim()
        self.writer = Writer(stdout)
        self.changed = threading.Condition()  # Of everything that more than one thread looks at.
        self.ack, self.host_names, self.limits = None, [], {}
        self.host_methods = []
        self.config = {}
        self.calls = {}  # What is open, by kind and id.
        self.questions = Questions(self)
        self.proposals = Proposals()
        self.tools, self.panel = Tools(self), Panel(self)
        self.tool = self.tools.named()
        self.event_lane = Lane("events", lambda event: handle_event(self, event))
        self.panel_lane = Lane("panel", self.panel.handle)
        self.ending = False
        # A byte that says why it is over. A signal writes its number: one that only raised in the
        # main thread is lost when it comes as that thread begins to wait.
        self.over, self.tell_over = os.pipe()

    # -- out

    def emit(self, frame):
        self.writer.waiting.put(line(frame))

    def notify(self, message):
        self.emit({"type": "notify", "level": "info", "message": message})

    def is_open(self, call):
        return self.calls.get((call.kind, call.id)) is call

    def close(self, kind, call_id):
        """Takes a call off the list: whoever did that answers it."""
        with self.changed:
            closed = self.calls.pop((kind, call_id), None)
            self.changed.notify_all()
            return closed is not None

    def shows_views(self):
        return "view" in self.host_names

    def reply(self, call, frame):
        if not self.shows_views():
            frame = {name: value for name, value in frame.items() if name != "view"}
        data = line(frame)
        limit = self.limits.get("frame_bytes", FRAME_BYTES)
        if len(data) - 1 > limit:
            message = f"the answer has {len(data) - 1} bytes, and a frame may have {limit}"
            data = line(error_frame(call, {"kind": "too_large", "message": message}))
        with self.changed:
            if self.is_open(call):
                self.close(call.kind, call.id)
                self.writer.waiting.put(data)

    def register(self):
        """Everything that it offers and asks for, in the order of the surface."""
        for name, description, usage in COMMANDS:
            usage = {} if usage is None else {"usage": usage}
            self.emit({"type": "register_command", "name": name, "description": description, **usage})
        for name, description, schema in TOOLS:
            self.emit({"type": "register_tool", "name": name, "description": description,
                       "schema": Raw(schema), **MORE.get(name, {})})
        filters = {"filters": FILTERS} if "event_filters" in self.host_names else {}
        self.emit({**SUBSCRIPTION, **filters})
        self.emit({"type": "ready"})

    # -- in

    def on_hello_ack(self, frame, _):
        if self.ack is None:
            self.ack = frame
            names, limits = frame.get("capabilities"), frame.get("limits")
            self.host_names = names if isinstance(names, list) else []
            methods = frame.get("methods")
            self.host_methods = methods if isinstance(methods, list) else []
            self.configure(frame)
            self.limits = limits if isinstance(limits, dict) else {}
            self.register()

    def begin(self, kind, frame, call):
        """Whether the call is a new one that wants its answer."""
        if not isinstance(frame.get("id"), str) or not frame["id"] or (kind, frame["id"]) in self.calls:
            return False
        self.calls[kind, frame["id"]] = call(frame)
        return True

    def on_tool_call(self, frame, raw):
        if not self.begin("tool_call", frame, lambda frame: Call(self, "tool_call", frame, raw)):
            return
        call = self.calls["tool_call", frame["id"]]
        name, args = frame.get("name"), frame.get("args")
        if self.ending:
            self.reply(call, error_frame(call, cancelled().error))
        elif not isinstance(name, str) or name not in self.tool:
            self.reply(call, error_frame(call, {"kind": "not_found", "message": f"unknown tool {name}"}))
        elif args is not None and not isinstance(args, dict):
            error = {"kind": "validation", "message": "the arguments must be an object"}
            self.reply(call, error_frame(call, error))
        elif call.reconcile and MORE.get(name, {}).get("replay") != "reconcile":
            self.reply(call, result_frame(call, Raw('{"state":"unknown"}')))
        else:
            threading.Thread(target=self.run_tool, args=(call, self.tool[name]), daemon=True).start()

    def run_tool(self, call, tool):
        try:
            frame = result_frame(call, tool(call))
            line(frame)
        except Failed as failed:
            frame = error_frame(call, failed.error)
        except BaseException as error:
            traceback.print_exc()
            frame = error_frame(call, {"kind": "internal", "message": f"{type(error).__name__}: {error}"})
        self.reply(call, frame)

    def on_tool_cancel(self, frame, _):
        with self.changed:
            call = self.calls.get(("tool_call", frame.get("id"))) if isinstance(frame.get("id"), str) else None
            if call is not None:
                call.cancelled = True
                self.changed.notify_all()

    def on_tool_result(self, frame, _):
        """The host's answer to a call_tool."""
        with self.changed:
            if isinstance(frame.get("id"), str) and frame["id"] in self.tools.asked:
                self.tools.asked[frame["id"]] = frame
                self.changed.notify_all()

    def on_request(self, frame, raw):
        if self.begin("request", frame, lambda frame: Asked(self, "request", frame, raw)):
            threading.Thread(target=self.calls["request", frame["id"]].run, daemon=True).start()

    def on_cancel(self, frame, _):
        """Of a request of the host's: the id is one of its own."""
        with self.changed:
            asked = self.calls.get(("request", frame.get("id"))) if isinstance(frame.get("id"), str) else None
            if asked is not None:
                asked.cancelled = True
                self.changed.notify_all()

    def on_response(self, frame, _):
        self.questions.arrived(frame)

    on_response_part = on_response

    def on_command_invoked(self, frame, raw):
        if self.begin("command_invoked", frame, lambda frame: Call(self, "command_invoked", frame, raw)):
            call = self.calls["command_invoked", frame["id"]]
            threading.Thread(target=self.run_command, args=(call,), daemon=True).start()

    def run_command(self, call):
        try:
            answer = self.command(call.frame.get("name"), call.frame.get("args") or "", call)
        except BaseException as error:
            answer = {"action": "noop", "error": str(error)}
        self.reply(call, {"type": "command_response", "id": call.id, **answer})

    def command(self, name, args, call):
        if self.ending:
            raise cancelled()
        if name == "echo":
            return {"action": "display", "display": args}
        if name == "action":
            if args in ("prompt", "insert", "display"):
                return {"action": args, args: "a text"}
            if args == "tool_prompt" and "capabilities" in self.ack:
                return {"action": args, "prompt": "a text", "tool_name": "text", "tool_args": {"text": "a"}}
            if args == "tool_prompt":
                return {"action": "prompt", "prompt": "a text"}
            if args == "noop":
                return {"action": args}
            raise ValueError("there is no such action")
        if name == "hold":
            return {"action": "display", "display": self.tools.hold(call, args)}
        if name == "panel":
            return {"action": "open_panel", "open_panel": self.panel.open(args)}
        if name == "panic":
            raise SystemExit(MESSAGE)
        raise ValueError(MESSAGE if name == "fail" else f"unknown command {name}")

    def configure(self, frame):
        """The configuration is the one in the frame from now on, where that has one."""
        if isinstance(frame.get("config"), dict):
            self.config = frame["config"]

    def on_event(self, frame, _):
        if frame.get("event") == "config_changed":
            self.configure(frame)
        if frame.get("event") in SUBSCRIPTION["events"] and is_wanted(frame):
            self.event_lane.put(frame)

    def on_event_intercept(self, frame, _):
        if isinstance(frame.get("event"), str):
            if self.begin("event_intercept", frame, lambda frame: Intercept(self, frame)):
                question = self.calls["event_intercept", frame["id"]]
                threading.Thread(target=question.run, daemon=True).start()

    def on_panel(self, frame, _):
        self.panel.arrived(frame)

    on_panel_key = on_panel_resize = on_panel_close = on_panel

    # -- from start to end

    def lines(self):
        rest = b""
        while True:
            chunk = os.read(self.stdin, 1 << 18)
            if not chunk:
                if rest:
                    yield rest
                return
            *whole, rest = (rest + chunk).split(b"\n")
            yield from whole

    def parse(self, data, first):
        """The frame of a line and the text of its members; None for a line that is none."""
        text = data.decode("utf-8", "replace")
        if first:
            text = text.removeprefix("\ufeff")
        try:
            frame, raw = members(text)
        except (ValueError, RecursionError):
            return None
        return (frame, raw) if isinstance(frame.get("type"), str) else None

    def handle(self, frame, raw):
        handler = getattr(self, "on_" + frame["type"], None)
        if handler is not None:
            handler(frame, raw)

    def serve(self):
        """Until the end of stdin; also behind a shutdown, where calls are answered as cancelled."""
        for number, data in enumerate(self.lines()):
            parsed = self.parse(data, number == 0)
            if parsed is None:
                continue
            if parsed[0]["type"] == "shutdown":
                self.ending = True
                os.write(self.tell_over, SHUTDOWN)
            else:
                self.handle(*parsed)
        os.write(self.tell_over, END_OF_STDIN)

    def end(self, shutdown):
        """Results of one second, cancelled what is open then, shutdown_ack, nothing after it."""
        with self.changed:
            self.ending = True
            for call in self.calls.values():
                call.cancelled = True
            self.changed.notify_all()
            self.changed.wait_for(lambda: not self.calls, LAST_RESULTS)
            for call in list(self.calls.values()):
                if isinstance(call, Intercept):
                    call.fail("the extension ends")
                elif call.kind == "tool_call":
                    self.reply(call, error_frame(call, cancelled().error))
                elif call.kind == "request":
                    self.reply(call, {"type": "response", "id": call.id, "error": CANCELLED})
                else:
                    self.reply(call, {"type": "command_response", "id": call.id, "action": "noop",
                                      "error": "cancelled"})
            if shutdown:
                self.emit({"type": "shutdown_ack"})
        self.writer.waiting.put(None)
        self.writer.join(0.4)

    def run(self):
        os.set_blocking(self.tell_over, False)
        signal.set_wakeup_fd(self.tell_over)
        signal.signal(signal.SIGTERM, lambda *_: None)
        self.emit(HELLO)
        reader = threading.Thread(target=self.serve, daemon=True)
        for thread in (self.writer, self.event_lane, self.panel_lane, reader):
            thread.start()
        over = os.read(self.over, 1)
        self.end(over == SHUTDOWN)
        sys.exit(143 if over == SIGTERM else 0)


if __name__ == "__main__":
    Kit().run()
