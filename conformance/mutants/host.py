"""A host that keeps the rules of docs/protocol/specification.md, and the driver that operates it: host.py [NAME]
breaks one rule. It shares nothing with the reference host; docs/tester/hosts.md says what a
driver is asked."""

import json
import os
import random
import sys
import threading
import time

from host_agent import METHODS as AGENT, Agent
from host_basics import LIMIT, Failure, broken, whole
from host_calls import Calls
from host_extension import Extension
from host_pending import METHOD as PUSH, RESOLVE, Actions
from host_person import DIALOGS, DISPLAYS, Person, Screen
from host_programs import METHOD as EXEC, Programs
from host_services import KEPT, SECRETS, Services, Store

CAPABILITIES = [
    "commands", "tools", "events", "panels", "tool_cancel", "call_tool", "tool_registry",
    "registration_report", "rpc", "view", "event_filters"]


class Host(Calls, Person, Programs, Services, Actions, Agent):
    def __init__(self, request, told=()):
        self.request = request
        self.started = threading.Event()
        self.writing = threading.Lock()
        self.screen, self.always = Screen(), set()
        self.store, self.given = Store(request["home"], request.get("session")), set()
        self.begin_actions()
        self.begin_agent()
        self.told, self.calls, self.cancels = list(told), {}, {}
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
        self.told.append({"what": what, "extension": extension, "text": self.without_secrets(text)})

    def ack(self, extension):
        limits = {"frame_bytes": LIMIT}
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
            "methods": [*DIALOGS, *DISPLAYS, EXEC, *SECRETS, *KEPT, PUSH, *AGENT],
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
        self.started.set()
        self.tell_of_clashes()

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

    def all_owners(self):
        """Each tool and all who registered it, in load order."""
        own = [*self.request.get("builtin_tools", []), RESOLVE]
        tools = {}
        for extension in self.extensions:
            for name, frame in extension.tools.items():
                if name not in own or broken("extensions-before-its-own"):
                    tools.setdefault(name, []).append((extension, frame))
        return tools

    def owners(self):
        """Each tool and who has it: the first in load order."""
        owners = self.all_owners()
        if broken("first-come-owns"):
            came = lambda one: one[0].acknowledged or 0
            return {name: min(all_, key=came) for name, all_ in owners.items()}
        if broken("shows-another-schema"):
            return {name: (all_[0][0], all_[-1][1]) for name, all_ in owners.items()}
        return {name: all_[0] for name, all_ in owners.items()}

    def commands(self):
        own = self.request.get("builtin_commands", [])
        return [{"name": name, "extension": one.name} for one in self.extensions
                for name in one.commands
                if name not in own or broken("extensions-before-its-own")]

    def tell_of_clashes(self):
        owners = self.owners()
        offered = {(command["name"], command["extension"]) for command in self.commands()}
        for extension in self.extensions if not broken("clashes-in-silence") else []:
            lost = [name for name in extension.tools
                    if name not in owners or owners[name][0] is not extension]
            lost += [name for name in extension.commands if (name, extension.name) not in offered]
            for name in lost:
                self.tell("problem", extension.name, f"{name} is somebody else's already")

    # What is done with extensions.

    def emit(self, event, payload):
        frame = {"type": "event", "event": event, **payload}
        for extension in self.extensions:
            wants = event in extension.subscribed["events"] and extension.filters.lets(event, payload)
            if wants or broken("events-for-all"):
                if broken("events-late"):
                    threading.Timer(2, extension.send, [frame]).start()
                elif broken("events-in-any-order"):
                    threading.Timer(random.random() / 4, extension.send, [frame]).start()
                else:
                    extension.send(frame)

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
            threading.Timer(2, extension.send, [frame]).start()
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


# What takes its time, beside other requests.
WAIT = ("start", "reload", "call", "request", "intercept", "command", "stop")


class Driver:
    def __init__(self):
        self.host, self.hosts = None, []
        self.printing = threading.Lock()

    def say(self, answer):
        with self.printing:
            sys.stdout.write(json.dumps(whole(answer)) + "\n")
            sys.stdout.flush()

    def serve(self):
        for line in sys.stdin:
            request = json.loads(line)
            if request["op"] in WAIT:
                threading.Thread(target=self.answer, args=[request], daemon=True).start()
            else:
                self.answer(request)
        for extension in [one for host in self.hosts for one in host.extensions]:
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
            return self.begin(request)
        if op == "reload":
            if not broken("reload-leaves-the-old"):
                host.stop()
            return self.begin(host.request, host.told)
        if op == "extensions":
            return [{"name": one.name, "state": one.state, "problem": one.problem}
                    for one in host.extensions
                    if not (one.problem and len(self.hosts) > 1 and broken("reload-hides-failures"))]
        if op == "tools":
            hosts = self.hosts if broken("reload-doubles") else [host]
            own = [{"name": RESOLVE, "extension": "host"}] if host.offers_resolve() else []
            return own + [{"name": name, "extension": owner.name, "schema": frame.get("schema")}
                          for one in hosts for name, (owner, frame) in one.owners().items()
                          if one.is_active(name) or broken("deactivated-are-offered")]
        if op == "commands":
            return host.commands()
        if op == "asked":
            return host.screen.now()
        if op == "answer":
            return host.screen.answer(request["answer"])
        if op == "shown":
            return host.shown()
        if op == "told":
            return host.told
        if op == "call":
            host.cancels[request["id"]] = threading.current_thread()
            return self.failed(host.call(request), lambda frame: {"result": {
                "content": frame.get("content", []), "is_error": frame.get("is_error", False),
                **{name: frame[name] for name in ("view",) if name in frame}}})
        if op == "cancel":
            host.give_up(*host.calls[host.cancels[request["call"]]])
            return True
        if op == "request":
            return self.failed(host.ask_by_method(request), lambda answer: answer)
        if op == "intercept":
            return host.intercept(request)
        if op == "command":
            return self.failed(host.command(request), lambda outcome: outcome)
        if op == "event":
            return host.emit(request["event"], request.get("payload", {}))
        if op == "panels":
            return [{"extension": one.name, "panel": id_, **panel}
                    for one in host.extensions for id_, panel in one.panels.items()]
        if op == "panel":
            return host.on_panel(request)
        if op == "session":
            return host.turn_to(request)
        if op == "stop":
            return host.stop()
        raise NotImplementedError(f"there is no op {op}")

    def begin(self, request, told=()):
        self.host = Host(request, told)
        self.hosts.append(self.host)
        self.host.start()

    def failed(self, outcome, good):
        if isinstance(outcome, Failure):
            return {"error": {"kind": outcome.kind, "message": str(outcome)}}
        return good(outcome)


Driver().serve()
