"""A host that keeps the rules of docs/protocol.md, and the driver that operates it: host.py [NAME]
breaks one rule. It shares nothing with the reference host; docs/host-conformance.md says what a
driver is asked."""

import json
import os
import random
import sys
import threading
import time

import host_extension
from host_extension import Extension, Failure, broken, whole

if len(sys.argv) > 1:
    host_extension.MUTANT = sys.argv[1]

CAPABILITIES = ["commands", "tools", "events", "panels", "tool_cancel", "registration_report"]


def depth(value):
    if isinstance(value, dict):
        return 1 + max(map(depth, value.values()), default=0)
    if isinstance(value, list):
        return 1 + max(map(depth, value), default=0)
    return 0


def fits(value, schema):
    """Whether arguments fit a schema, as far as this host knows JSON Schema."""
    kinds = {"integer": int, "string": str}
    for name, wanted in schema.get("properties", {}).items():
        kind = kinds.get(wanted.get("type"))
        if kind and name in value and not isinstance(value[name], kind):
            return False
    return True


class Host:
    def __init__(self, request):
        self.request = request
        self.writing = threading.Lock()
        self.told, self.calls, self.cancels = [], {}, {}
        self.deadlines = {"tool_ms": 60000, "command_ms": 30000, "intercept_ms": 5000}
        self.deadlines.update(request.get("deadlines", {}))
        self.extensions = [
            Extension(self, folder, index) for index, folder in enumerate(request["extensions"])]
        self.began = time.monotonic()

    def seconds(self, what):
        mutant = {"tool_ms": "no-tool-deadline", "command_ms": "no-command-deadline",
                  "intercept_ms": "no-intercept-deadline"}[what]
        if broken(mutant):
            return None
        if broken("times-out-early") and what == "tool_ms":
            return 0.2
        return self.deadlines[what] / 1000

    def tell(self, what, extension, text):
        self.told.append({"what": what, "extension": extension, "text": text})

    def ack(self, extension):
        limits = {"frame_bytes": host_extension.LIMIT}
        if broken("announces-small-frames"):
            limits["frame_bytes"] = 65536
        if not broken("announces-defaults"):
            limits["tool_timeout_ms"] = self.deadlines["tool_ms"]
            limits["command_timeout_ms"] = self.deadlines["command_ms"]
            limits["intercept_timeout_ms"] = self.deadlines["intercept_ms"]
        ack = {
            "type": "hello_ack", "protocol_version": 1, "capabilities": CAPABILITIES,
            "zot_version": "", "provider": "", "model": "", "cwd": self.request["cwd"],
            "extension_dir": extension.folder, "data_dir": self.request["home"],
            "host": {"name": "tiny-host", "version": "1.0.0"}, "limits": limits,
        }
        if broken("ack-without-cwd"):
            del ack["cwd"]
        if broken("names-no-capabilities"):
            del ack["capabilities"]
        return ack

    def start(self):
        for extension in self.extensions:
            extension.start()
            if broken("starts-one-by-one"):
                self.await_ready(extension)
        for extension in self.extensions:
            self.await_ready(extension)

    def await_ready(self, extension):
        began = self.began
        while extension.state == "starting":
            now = time.monotonic()
            acknowledged = extension.acknowledged
            if acknowledged:
                idle = now - max(acknowledged, extension.heard)
                if broken("ready-when-idle") and idle > 0.25:
                    # What comes later comes too late.
                    extension.on_register_tool = lambda frame: None
                    extension.state = "ready"
                if now - acknowledged > 3 and not broken("waits-for-ready"):
                    self.tell("problem", extension.name, "no ready in 3 s")
                    extension.state = "ready"
            else:
                short = 2 if broken("hello-deadline-short") else 10
                if now - began > short and not broken("waits-for-hello"):
                    extension.fail("no hello in ten seconds")
            time.sleep(0.005)

    def owners(self):
        """Each tool and who has it: the first in load order."""
        tools = {}
        for extension in self.extensions:
            for name, frame in extension.tools.items():
                tools.setdefault(name, (extension, frame))
        return tools

    # What is done with extensions.

    def emit(self, event, payload):
        frame = {"type": "event", "event": event, **payload}
        for extension in self.extensions:
            if event in extension.subscribed["events"] or broken("events-for-all"):
                if broken("events-late"):
                    threading.Timer(0.2, extension.send, [frame]).start()
                elif broken("events-in-any-order"):
                    threading.Timer(random.random() / 20, extension.send, [frame]).start()
                else:
                    extension.send(frame)

    def call(self, request):
        owner = self.owners().get(request["tool"])
        if owner is None:
            return Failure("not_found", "unknown tool")
        extension, tool = owner
        args = self.model_args(request["args"])
        if isinstance(args, Failure):
            return args
        if tool.get("execution") == "sequential" and not broken("ignores-sequential"):
            lock = extension.turns.setdefault(request["tool"], threading.Lock())
            with lock:
                return self.gate(extension, tool, args)
        return self.gate(extension, tool, args)

    def model_args(self, text):
        try:
            if broken("args-as-they-came"):
                # As a host would that passes the model's text on.
                parse = dict
                args = json.loads(text, object_pairs_hook=lambda pairs: parse(reversed(pairs)))
            elif broken("numbers-as-doubles"):
                args = json.loads(text, parse_int=float)
            else:
                args = whole(json.loads(text))
        except ValueError as error:
            if broken("passes-any-args"):
                return {}
            return Failure("validation", f"the arguments are no JSON: {error}")
        if broken("escapes-markup-twice"):
            args = json.loads(json.dumps(args).replace("<", "&lt;"))
        if not isinstance(args, dict) and not broken("passes-any-args"):
            return Failure("validation", "the arguments are no object")
        if depth(args) > 64 and not broken("passes-deep-args"):
            return Failure("validation", "the arguments nest too deep")
        return args

    def gate(self, extension, tool, args):
        valid = lambda: fits(args, tool.get("schema", {}))
        if broken("validates-first") and not valid():
            return Failure("validation", "the arguments do not fit")
        phases = ["intercept", "guard"]
        if broken("guards-before-rewrites"):
            phases.reverse()
        for phase in phases:
            if phase == "guard" and not valid() and not broken("validates-first"):
                return Failure("validation", "the arguments do not fit")
            args = self.asked(phase, tool["name"], args)
            if isinstance(args, Failure):
                return args
        seconds = self.seconds("tool_ms")
        if "timeout_ms" in tool and not broken("ignores-timeout-ms"):
            seconds = tool["timeout_ms"] / 1000
        frame = {"type": "tool_call", "id": "", "name": tool["name"], "args": args}
        if broken("calls-without-name"):
            del frame["name"]
        answer = extension.ask("tool_result", frame, seconds)
        if isinstance(answer, Failure) and answer.kind == "timeout":
            if "tool_cancel" in extension.capabilities or broken("cancels-for-all"):
                extension.send({"type": "tool_cancel", "id": frame["id"]})
        return answer

    def asked(self, phase, tool, args):
        """The arguments after all who want to be asked, or why not."""
        extensions = list(self.extensions)
        if broken("asks-backwards"):
            extensions.reverse()
        first, blocked = args, None
        for extension in extensions:
            kind = "guards" if phase == "guard" else "intercept"
            if "tool_call" not in extension.subscribed[kind]:
                continue
            if phase == "guard" and broken("no-guards"):
                continue
            if extension.state == "failed":
                stands = phase == "guard" or extension.on_failure.get("tool_call") == "block"
                if stands and not broken("forgets-dead-guards"):
                    return Failure("permission", f"the guard of {extension.name} is gone")
                continue
            frame = {
                "type": "event_intercept", "id": "", "event": "tool_call", "phase": phase,
                "tool_name": tool, "tool_args": first if broken("asks-with-first-args") else args}
            answer = extension.ask(
                "event_intercept_response", frame, self.seconds("intercept_ms"))
            if isinstance(answer, Failure):
                if answer.kind == "timeout" and broken("silence-allows"):
                    continue
                if answer.kind == "transient" and broken("the-dead-allow"):
                    continue
                failure = extension.on_failure.get("tool_call", "block")
                if failure == "allow" and not broken("ignores-on-failure"):
                    continue
                return Failure("permission", f"{extension.name} did not decide: {answer}")
            if answer.get("block") and not broken("ignores-blocks"):
                blocked = blocked or Failure("permission", answer.get("reason", "blocked"))
                if not broken("asks-on-after-block"):
                    return blocked
            new = answer.get("modified_args")
            if new is not None and (phase != "guard" or broken("guards-rewrite")):
                if not isinstance(new, dict) and not broken("takes-any-modified-args"):
                    return Failure("permission", "modified_args are no object")
                if not broken("ignores-rewrites"):
                    args = new
        return blocked or args

    def command(self, request):
        for extension in self.extensions:
            for name in extension.commands:
                same = name.lower() == request["name"].lower()
                if broken("commands-by-case"):
                    same = name == request["name"]
                if not same:
                    continue
                name = request["name"] if broken("passes-typed-name") else name
                frame = {"type": "command_invoked", "id": "", "name": name}
                args = request.get("args", "")
                if broken("squeezes-spaces"):
                    args = " ".join(args.split())
                if args or broken("writes-empty-args"):
                    frame["args"] = args
                answer = extension.ask("command_response", frame, self.seconds("command_ms"))
                return answer if isinstance(answer, Failure) else self.outcome(answer)
        return Failure("not_found", "unknown command")

    def outcome(self, answer):
        if answer.get("error") and not broken("action-before-error"):
            return Failure("internal", answer["error"])
        action = answer.get("action")
        if action in ("prompt", "insert", "display"):
            return {"action": action, "text": answer.get(action, "")}
        if action == "open_panel":
            return {"action": action, "panel": answer["open_panel"]["id"]}
        if action == "noop" or broken("any-action-displays"):
            return {"action": "noop"}
        return Failure("protocol", f"the action {action} is unknown")

    def on_panel(self, request):
        extension = next(one for one in self.extensions if one.name == request["extension"])
        panel = request["panel"]
        if panel not in extension.panels:
            return False
        if request.get("close"):
            del extension.panels[panel]
            for _ in range(2 if broken("closes-twice") else 1):
                extension.send({"type": "panel_close", "panel_id": panel})
            return True
        frame = {"type": "panel_key", "panel_id": panel, "key": request.get("key", "rune")}
        if "text" in request:
            frame["text"] = request["text"]
        if broken("keys-backwards") and frame["key"] == "up":
            threading.Timer(0.3, extension.send, [frame]).start()
        else:
            extension.send(frame)
        return True

    def stop(self):
        enders = [threading.Thread(target=one.end) for one in self.extensions]
        for ender in enders:
            ender.start()
            if broken("ends-one-by-one"):
                ender.join()
        for ender in enders:
            ender.join()


class Driver:
    def __init__(self):
        self.host = None
        self.printing = threading.Lock()

    def say(self, answer):
        with self.printing:
            sys.stdout.write(json.dumps(whole(answer)) + "\n")
            sys.stdout.flush()

    def serve(self):
        for line in sys.stdin:
            request = json.loads(line)
            if request["op"] in ("start", "call", "command", "stop"):
                threading.Thread(target=self.answer, args=[request], daemon=True).start()
            else:
                self.answer(request)
        for extension in self.host.extensions if self.host else []:
            if extension.process:
                extension.kill(9)
                extension.let_go()
        os._exit(0)

    def answer(self, request):
        try:
            self.say({"id": request["id"], "ok": self.act(request)})
        except NotImplementedError as error:
            self.say({"id": request["id"], "unsupported": str(error)})
        except Exception as error:
            self.say({"id": request["id"], "error": f"{type(error).__name__}: {error}"})

    def act(self, request):
        op, host = request["op"], self.host
        if op == "start":
            self.host = Host(request)
            return self.host.start()
        if op == "extensions":
            return [{"name": one.name, "state": one.state, "problem": one.problem}
                    for one in host.extensions]
        if op == "tools":
            return [{"name": name, "extension": owner.name, "schema": frame.get("schema")}
                    for name, (owner, frame) in host.owners().items()]
        if op == "commands":
            return [{"name": name, "extension": one.name}
                    for one in host.extensions for name in one.commands]
        if op == "told":
            return host.told
        if op == "call":
            host.cancels[request["id"]] = threading.current_thread()
            return self.failed(host.call(request), lambda frame: {"result": {
                "content": frame.get("content", []), "is_error": frame.get("is_error", False)}})
        if op == "cancel":
            extension, id_, pending = host.calls[host.cancels[request["call"]]]
            if "tool_cancel" in extension.capabilities or broken("cancels-for-all"):
                if not broken("never-cancels"):
                    extension.send({"type": "tool_cancel", "id": id_})
            else:
                pending.give(Failure("cancelled", "the user said so"))
            return True
        if op == "command":
            return self.failed(host.command(request), lambda outcome: outcome)
        if op == "event":
            return host.emit(request["event"], request.get("payload", {}))
        if op == "panels":
            return [{"extension": one.name, "panel": id_, **panel}
                    for one in host.extensions for id_, panel in one.panels.items()]
        if op == "panel":
            return host.on_panel(request)
        if op == "stop":
            return host.stop()
        raise NotImplementedError(f"there is no op {op}")

    def failed(self, outcome, good):
        if isinstance(outcome, Failure):
            return {"error": {"kind": outcome.kind, "message": str(outcome)}}
        return good(outcome)


Driver().serve()
