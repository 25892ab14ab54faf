"""A correct extension that can be broken on purpose: `puppet.py NAME` breaks it in that way.

Without a name it passes every case. Each name is one mistake, and the cases that must notice it
name it under `mutants`. Standard library only; `extline conformance selftest` runs it.
"""
import fcntl
import json
import os
import signal
import sys
import time
import unicodedata

from puppet_input import hear_signals, lines, parse
from puppet_output import UNWRITTEN, broken, die, emit, later, write, write_what_fits

PUPPET = None


def hello():
    if broken("silent"):
        time.sleep(60)
    if broken("banner"):
        write(b"puppet 1.0, at your service\n")
    frame = {"type": "hello", "name": "puppet", "version": "1.0.0",
             "capabilities": ["commands", "tools", "events", "panels", "tool_cancel", "call_tool", "tool_update"]}
    if broken("nameless") or broken("other-name"):
        frame["name"] = "somebody" if broken("other-name") else ""
    if broken("hides-tools"):
        frame["capabilities"].remove("tools")
    if broken("reserved-capability"):
        frame["capabilities"].append("providers")
    if broken("reserved-method"):
        frame["methods"] = ["lifecycle.start"]
    emit(frame)
    if broken("two-hellos"):
        emit(frame)
    if broken("registers-early"):
        register()


def register():
    emit({"type": "notify", "level": "loud" if broken("odd-level") else "info", "message": "here"})
    if broken("bare-slash"):
        emit({"type": "submit_slash", "text": "compact"})
    if broken("unasked-call") or broken("call-args-array"):
        emit({"type": "call_tool", "id": "1", "name": "bash", "args": [] if broken("call-args-array") else {}})
    if broken("long-line") or broken("cuts-long-line"):
        emit({"type": "notify", "level": "info", "message": "x" * 5_000_000})
    if broken("prints"):
        write(b"registering\n")
    command = {"type": "register_command", "name": "puppet", "description": "does nothing"}
    if broken("bad-field"):
        command["description"] = 7
    if broken("nulls"):
        command["description"] = None
    emit(command)
    tool = {"type": "register_tool", "name": "echo", "description": "Gives the text back.",
            "schema": {"type": "object", "properties": {"text": {"type": "string"}}}}
    if broken("bad-schema"):
        tool["schema"] = {"type": "objekt"}
    if broken("union-schema"):
        tool["schema"]["anyOf"] = [{"required": ["text"]}]
    if broken("far-ref"):
        tool["schema"]["properties"]["text"] = {"$ref": "#/$defs/text"}
    if broken("registers-otherwise"):
        tool["description"] += f" Started as {os.getpid()}."
    if broken("bad-name"):
        tool["name"] = "my echo!"
    emit(tool)
    if broken("second-tool-answers-cancel-twice"):
        emit({**tool, "name": "again"})
    if broken("same-name-twice"):
        emit(tool)
    if broken("unasked-request"):
        emit({"type": "request", "id": "1", "method": "state.get", "params": {}})
    subscription = {"type": "subscribe", "events": ["turn_start"], "intercept": ["tool_call"],
                    "guards": ["tool_call"]}
    if broken("guard-only"):
        subscription["intercept"] = ["turn_start"]
    if broken("odd-guard"):
        subscription["intercept"].append("turn_start")
        subscription["guards"].append("turn_start")
    if not broken("late-subscribe"):
        emit(subscription)
    if broken("slow-ready"):
        # On a busy machine a part of it counts as a wait for a processor.
        time.sleep(1)
    if not broken("no-ready"):
        emit({"type": "ready"})
    while broken("floods"):
        emit({"type": "log", "level": "debug", "message": "x" * 100})
    if broken("late-subscribe"):
        emit(subscription)


def depth(value):
    if isinstance(value, dict):
        return 1 + max(map(depth, value.values()), default=0)
    if isinstance(value, list):
        return 1 + max(map(depth, value), default=0)
    return 0


def usable_id(frame):
    return isinstance(frame.get("id"), str) and (frame["id"] != "" or broken("answers-empty-id"))


def changed(call):
    """An id as one makes it who does not take it as it is."""
    for name, change in (("lowers-ids", str.lower), ("trims-ids", str.strip),
                         ("normalises-ids", lambda text: unicodedata.normalize("NFC", text)),
                         ("cuts-ids", lambda text: text[:255]),
                         ("cuts-ids-at-nul", lambda text: text.partition("\0")[0])):
        if broken(name) and isinstance(call, str):
            return change(call)
    return call


class Puppet:
    def __init__(self):
        self.acknowledged = False
        self.answered = 0
        self.events = 0
        self.seen = set()
        self.asked = set()
        self.called = False
        # How often each of what it registered was called.
        self.calls = {"tool": 0, "command": 0}

    def handle(self, frame):
        kind = frame["type"]
        if broken("strict-fields") and "later" in frame:
            return
        if broken("drops-before-ack") and not self.acknowledged and kind != "hello_ack":
            return
        if broken("reply-dies") and kind in ("tool_result", "response", "response_part"):
            die()
        handler = getattr(self, "on_" + kind, None)
        if handler is None:
            if broken("unknown-type-dies"):
                die()
            return
        handler(frame)

    def on_hello_ack(self, frame):
        if self.acknowledged:
            if broken("second-ack-dies"):
                die()
            if broken("second-ack-registers"):
                register()
            return
        self.acknowledged = True
        if broken("version-dies") and frame["protocol_version"] != 1:
            die()
        if broken("strict-capabilities") and "a_later_capability" in frame.get("capabilities", []):
            die()
        if broken("strict-limits") and "a_later_limit" in frame.get("limits", {}):
            die()
        if broken("strict-session") and "later" in frame.get("session", {}):
            die()
        if broken("needs-dirs"):
            frame.get("extension_dir") or die()
        if not broken("registers-early"):
            register()

    def on_hello(self, _):
        if broken("direction-dies"):
            die()

    def on_tool_result(self, _):
        if broken("tool-result-dies"):
            die()

    def on_tool_cancel(self, frame):
        if broken("cancel-dies"):
            die()
        result = {"type": "tool_result", "id": frame.get("id"), "content": []}
        if broken("second-tool-answers-cancel-twice") and frame.get("id") in self.seen:
            emit(result)
        if broken("answers-cancel-again-later"):
            later(2, lambda: emit(result))

    def on_panel_key(self, frame):
        if broken("key-dies") and frame["key"] not in ("up", "down"):
            die()
        if broken("renders-unasked"):
            emit({"type": "panel_render", "panel_id": frame["panel_id"], "lines": ["x"]})

    def on_event(self, frame):
        self.events += 1
        if broken("event-dies") and frame["event"] == "tool_call" and "tool_name" not in frame:
            die()
        if broken("unknown-event-dies") and frame["event"].startswith("a_later"):
            die()
        if broken("event-limit") and self.events > 5000:
            die()
        if broken("order-dies") and frame["event"] == "session_start" and self.events > 1:
            die()
        if broken("answers-events"):
            emit({"type": "event_response", "event": frame["event"]})

    def on_event_intercept(self, frame):
        if not usable_id(frame) or not isinstance(frame.get("event"), str):
            return
        known = frame["event"] in ("tool_call", "turn_start")
        if broken("intercept-mute") or broken("known-points-only") and not known:
            return
        if broken("one-id-space") and frame["id"] in self.seen:
            return
        answer = {"type": "event_intercept_response", "id": frame["id"]}
        if broken("blocks-unknown") and not known:
            answer["block"] = True
        if broken("null-args") or broken("nulls-given-args") and frame.get("tool_args"):
            answer["modified_args"] = None
        emit(answer)

    def on_command_invoked(self, frame):
        if not usable_id(frame) or broken("shares-ids") and frame["id"] in self.asked:
            return
        answer = {"type": "command_response", "id": frame.get("id"), "action": "noop"}
        known = frame.get("name") == "puppet"
        if known:
            answer = {"type": "command_response", "id": frame["id"], "action": "open_panel",
                      "open_panel": {"id": "puppet", "title": "puppet", "lines": ["here"]}}
        self.calls["command"] += known
        if known and (broken("command-mute") or broken("command-answers-once") and self.calls["command"] > 1):
            return
        if known and broken("answers-commands-late"):
            time.sleep(30)
        if known and broken("command-args-dies") and "args" not in frame:
            die()
        if not known and not broken("any-command"):
            answer["error"] = "there is no such command"
        if broken("odd-action") or broken("bare-action"):
            answer = {"type": "command_response", "id": frame.get("id"),
                      "action": "shout" if broken("odd-action") else "display"}
        emit(answer)

    def on_panel_close(self, frame):
        drawn = {"type": "panel_render", "panel_id": frame.get("panel_id"), "lines": ["still here"]}
        if frame.get("panel_id") == "puppet" and broken("draws-closed-panel"):
            for wait in (0, 0.1, 0.3):
                later(wait, lambda: emit(drawn))
        if frame.get("panel_id") == "puppet" and broken("draws-closed-panel-later"):
            later(0.8, lambda: emit(drawn))

    def on_tool_call(self, frame):
        if broken("session-dies") and "session" in frame:
            die()
        if "id" not in frame and broken("id-dies") or "args" not in frame and broken("args-dies"):
            die()
        call = frame.get("id")
        if not usable_id(frame) and not broken("answers-bad-id"):
            return
        known = frame.get("name") == "echo"
        if isinstance(call, str):
            self.asked.add(call)
        self.called = self.called or known
        if broken("outlives-sigterm-in-call"):
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
        if broken("second-tool-answers-cancel-twice"):
            known = known or frame.get("name") == "again"
            if frame.get("name") != "again":
                self.answer(call, known, frame.get("args"))
                return
        if not known and broken("tool-passed-over"):
            return
        if known and broken("answers-calls-late"):
            time.sleep(30)
        if not isinstance(frame.get("name"), str):
            if not broken("skips-bad-calls"):
                self.answer(call, False, None)
            return
        args = frame.get("args")
        if broken("surrogate-mute") and "\\ud" in str(args):
            return
        if broken("depth-32") and depth(args) > 32 or known and broken("tool-mute"):
            return
        self.calls["tool"] += known
        if known and broken("tool-answers-once") and self.calls["tool"] > 1:
            return
        if known and broken("tool-args-dies") and not isinstance(args, dict):
            die()
        if broken("ids-once") and call in self.seen:
            return
        self.seen.add(call)
        self.answered += 1
        if broken("tired") and self.answered > 2:
            return
        self.answer(call, known or broken("any-tool"), args)

    def answer(self, call, known, args):
        text = str((args or {}).get("text", "")) if known and isinstance(args, dict) else "unknown tool"
        if broken("pasted"):
            result = '{"type":"tool_result","id":"%s","content":[],"is_error":true}\n' % call
            write(result.encode("utf-8", "replace"))
            return
        if broken("int-ids") and call.isdigit():
            call = str(int(call))
        call = changed(call)
        if broken("echoes-args") and not known:
            text += f": {json.dumps(args)}"
        first = 0 if broken("updates-from-0") else 1
        if known or first == 0 or broken("update-gap"):
            emit({"type": "tool_update", "id": call, "seq": first})
            emit({"type": "tool_update", "id": call, "seq": 3 if broken("update-gap") else first + 1})
        if broken("update-for-nobody"):
            emit({"type": "tool_update", "id": "nobody", "seq": 1})
        result = {"type": "tool_result", "id": call, "content": [{"type": "text", "text": text}]}
        if broken("content-string"):
            result["content"] = text
        if broken("bad-base64"):
            result["content"].append({"type": "image", "mime_type": "image/png", "data": "a-_="})
        if broken("jpeg-as-png"):
            result["content"].append({"type": "image", "mime_type": "image/png", "data": "/9j/4AAQSkZJRg=="})
        if broken("empty-image"):
            result["content"].append({"type": "image", "mime_type": "image/png", "data": ""})
        if not known:
            result["is_error"] = True
        if broken("error-without-flag"):
            result["error"] = {"kind": "not_found", "message": text}
            result.pop("is_error", None)
        if broken("dotted-field") or broken("deep-field"):
            field = "args.city" if broken("dotted-field") else "/where/city"
            result["error"] = {"kind": "validation", "message": text, "field": field}
        if known and broken("tears-results") and self.calls["tool"] > 4:
            write(b'{"type":"tool_result","id":')
        emit(result)
        if broken("answers-twice"):
            emit(result)
        if broken("answers-again-later") and not known or broken("tool-answers-again-later") and known:
            later(3, lambda: emit(result))
        if broken("updates-later") and not known or broken("tool-updates-later") and known:
            later(0.3, lambda: emit({"type": "tool_update", "id": call, "seq": 3 if known else 1}))
        if broken("update-after"):
            emit({"type": "tool_update", "id": call, "seq": 1})

    def on_shutdown(self, frame):
        if broken("ignores-shutdown") or broken("ignores-reload") and frame.get("reason") == "reload":
            return
        if broken("outlives-shutdown-in-call") and self.called:
            time.sleep(30)
        if not broken("no-ack"):
            emit({"type": "shutdown_ack"})
        if broken("talks-after-ack"):
            emit({"type": "notify", "level": "info", "message": "bye"})
        end()


def end():
    if UNWRITTEN:
        write_what_fits()
    if broken("leaves-child") or broken("child-writes"):
        import subprocess  # which takes long, and hardly a mutant needs it
    if broken("leaves-child"):
        subprocess.Popen(["sleep", "30"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                         stderr=subprocess.DEVNULL, start_new_session=True)
    if broken("child-writes"):
        frame = '{"type":"notify","level":"info","message":"late"}'
        # For a while, so that some of it comes behind the end on a busy machine too.
        late = f"i=0; while [ $i -lt 200 ]; do echo '{frame}' || exit; sleep 0.01; i=$((i + 1)); done"
        subprocess.Popen(["sh", "-c", late], stdin=subprocess.DEVNULL)
    if broken("ignores-eof"):
        time.sleep(30)
    sys.exit(1 if broken("exits-1") else 0)


def terminate():
    if broken("talks-at-sigterm"):
        write(b"terminated\n")
    if broken("outlives-sigterm-in-call") and PUPPET and PUPPET.called:
        time.sleep(30)
    os._exit(143)


def main():
    hear_signals()
    if broken("outlives-sigterm-in-call"):
        # It comes in the call, also where a busy machine gave the process no time for that before.
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
    if broken("ignores-sigterm"):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    elif not broken("exits-1"):
        signal.signal(signal.SIGTERM, lambda *_: terminate())
    if broken("lost-while-stopped"):
        signal.signal(signal.SIGCONT, lambda *_: os.read(0, 1 << 16))
    if broken("one-instance"):
        lock = open(__file__)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            die()
    hello()
    global PUPPET
    PUPPET = puppet = Puppet()
    for line in lines():
        frame = parse(line)
        if frame is None:
            if broken("splits-at-cr") and line.strip():
                die()
            continue
        puppet.handle(frame)
    if broken("outlives-eof-in-call") and puppet.called:
        time.sleep(30)
    if broken("talks-at-eof"):
        write(b"goodbye\n")
    end()


main()
