"""The person in front of host.py: approvals, dialogs one after the other, and what is shown."""

import contextlib
import hashlib
import json
import threading
import time
import urllib.parse

from host_agent import METHODS as AGENT
from host_basics import Failure, Pending, broken
from host_pending import METHOD as PUSH
from host_programs import METHOD as EXEC
from host_services import KEPT, SECRETS

DIALOGS = ["ui.confirm", "ui.select", "ui.input", "ui.editor", "ui.ask", "ui.auth"]
DISPLAYS = {"ui.status": "text", "ui.title": "title", "ui.working": "text", "ui.widget": "lines"}
PARENTS = {"tool_call": "tool_result", "intercept": "event_intercept_response", "request": "response"}


class Screen:
    """Where one question is shown at a time, in the order in which they came."""

    def __init__(self):
        self.waiting, self.changed = [], threading.Condition()
        self.shown = {}

    def now(self):
        with self.changed:
            waiting = self.waiting if broken("dialogs-at-once") else self.waiting[:1]
            return [one["says"] for one in waiting]

    def answer(self, answer):
        with self.changed:
            if not self.waiting:
                return False
            self.waiting[0]["answer"] = answer
            self.waiting.pop(0)
            return True

    def ask(self, says, is_over=lambda: False, timeout=None):
        """The answer; a Failure when nobody wants it any more, or the person takes too long."""
        question = {"says": says}
        began = None if not broken("dialog-time-from-the-request") else time.monotonic()
        with self.changed:
            self.waiting.append(question)
        try:
            while "answer" not in question:
                time.sleep(0.005)
                if began is None and self.waiting[:1] == [question]:
                    began = time.monotonic()
                if is_over() and not broken("dialogs-stay-open"):
                    return Failure("cancelled", "nobody wants the answer any more")
                is_late = timeout and began and time.monotonic() - began > timeout
                if is_late and not broken("dialogs-without-time"):
                    return Failure("timeout", "the person took too long")
            return question["answer"]
        finally:
            with self.changed:
                if question in self.waiting:
                    self.waiting.remove(question)


@contextlib.contextmanager
def standing_still(pending):
    """The time of a call, and of those above it, while a person is asked below it."""
    paused = []
    while pending is not None and not broken("clocks-run-on"):
        paused.append(pending)
        pending = None if broken("clocks-run-on-above") else pending.above
    for one in paused:
        one.paused += 1
    try:
        yield
    finally:
        for one in paused:
            one.paused -= 1


def digest(args):
    return "#" + hashlib.sha256(json.dumps(args).encode()).hexdigest()


def inserted(value):
    """A value as it stands in a key; None where that would not tell calls apart."""
    if isinstance(value, str):
        if broken("keys-unencoded"):
            return value
        text = urllib.parse.quote(value, safe="._/@:-").replace("~", "%7E")
    elif isinstance(value, (list, dict)):
        return None
    else:
        text = str(value) if broken("keys-of-words") else json.dumps(value)
    return text if len(text) <= 256 else None


def key_of(template, args):
    """Which calls one approval covers."""
    if not template:
        return digest(args)
    key, rest = "", template
    while "{" in rest:
        text, _, rest = rest.partition("{")
        name, closed, rest = rest.partition("}")
        value = inserted(args[name]) if closed and name in args else None
        if value is None:
            if not broken("missing-is-empty"):
                return digest(args)
            value = ""
        key += text + value
    return key + rest


def advice_of(answer):
    """What an extension said of a call; None where it cannot be used."""
    if isinstance(answer, Failure) or not isinstance(answer.get("result"), dict):
        return None
    advice = answer["result"]
    if advice.get("policy", "prompt") not in ("prompt", "allow", "deny"):
        return None
    return advice


class Person:
    """The part of a host that asks a person."""

    def approve(self, extension, tool, first, args, above, asks=()):
        """Why a call may not run; None where it may. `asks` is why guards want a person to decide."""
        declared = tool.get("approval") or {}
        asks = () if broken("runs-what-guards-ask-about") else asks
        if not (declared.get("gated") or declared.get("dynamic") or asks):
            return None
        said, is_doubt = dict(declared), False
        if declared.get("dynamic") and not broken("asks-no-extension"):
            advice = self.advice(extension, tool, args)
            is_doubt = advice is None
            if is_doubt and broken("doubt-allows"):
                return None
            said.update(advice or {})
        if said.get("policy") == "allow" and not asks:
            return None
        if said.get("policy") == "deny" and not broken("runs-what-is-denied"):
            return Failure("permission", said.get("reason") or "its extension refuses it")
        args_of_key = first if broken("keys-of-first-args") else args
        is_exact = is_doubt and not broken("doubt-keeps-the-key")
        is_exact = is_exact or (asks and not broken("asks-keep-the-key"))
        template = None if is_exact else said.get("key")
        key = key_of(template, args_of_key)
        schema = None if broken("keys-of-any-schema") else json.dumps(tool.get("schema"))
        covered = (extension.name, tool["name"], schema, key)
        if self.is_remembered(covered) or broken("runs-gated-unasked"):
            return None
        shown = first if broken("approves-first-args") else args
        says = {
            "what": "approval", "extension": extension.name, "tool": tool["name"], "args": shown,
            "key": key, "tier": said.get("tier"),
            "reason": "; ".join([*filter(None, [said.get("reason")]), *asks]) or None,
            "details": said.get("details", []), "caller": None,
        }
        if not self.request.get("person"):
            return Failure("permission", "nobody is there to be asked")
        with standing_still(above):
            decision = self.screen.ask(says)
        if decision == "always":
            self.always.add(covered)
        if decision in ("once", "always") or broken("runs-denied"):
            return None
        return Failure("permission", "the user said no")

    def is_remembered(self, covered):
        if broken("keys-by-prefix"):
            return any(covered[:3] == one[:3] and covered[3].startswith(one[3]) for one in self.always)
        return covered in self.always

    def advice(self, extension, tool, args):
        if "tool.approval" not in extension.methods:
            return None
        pending = Pending("response")
        id_ = extension.id(pending)
        params = {"tool": tool["name"], "args": args}
        extension.send({"type": "request", "id": id_, "method": "tool.approval", "params": params})
        answer = pending.wait(self.seconds("intercept_ms"))
        extension.pending.pop(id_, None)
        return advice_of(answer)

    # What extensions ask the person.

    def serve(self, extension, frame):
        """Answers a request of an extension."""
        method, params = frame["method"], frame.get("params") or {}
        if method == EXEC:
            answer = self.run_program(extension, frame)
        elif method in SECRETS or method in KEPT:
            answer = self.keep(extension, frame)
        elif method == PUSH:
            answer = self.push(extension, frame)
        elif method in AGENT:
            answer = self.ask_agent(extension, frame)
        elif method in DISPLAYS:
            answer = self.display(extension, method, params)
        else:
            answer = self.dialog(extension, frame, params)
        if answer is None:
            return
        if isinstance(answer, Failure):
            error = {"code": answer.kind, "message": str(answer), **answer.more}
            extension.send({"type": "response", "id": frame["id"], "error": error})
        else:
            extension.send({"type": "response", "id": frame["id"], "result": answer})

    def display(self, extension, method, params):
        member = DISPLAYS[method]
        if broken("displays-unanswered"):
            return None
        if member not in params and not broken("absent-takes-back"):
            return Failure("validation", f"{method}: /{member}: it is missing")
        place = (extension.name, method, params.get("key"))
        if params.get(member) is None:
            self.screen.shown.pop(place, None)
        else:
            self.screen.shown[place] = params
        return {}

    def shown(self):
        there = [one.name for one in self.extensions if one.state == "ready" or broken("shows-the-dead")]
        return [{"extension": name, "method": method, "params": params}
                for (name, method, _), params in self.screen.shown.items() if name in there]

    def dialog(self, extension, frame, params):
        title = params.get("title") or params.get("url") or params.get("questions")
        if not title and not broken("shows-anything"):
            return Failure("validation", f"{frame['method']}: /title: it is missing")
        if not self.request.get("person"):
            if broken("waits-for-nobody"):
                return None
            return {"dismissed": "headless"}
        parent = None
        if isinstance(frame.get("parent"), dict):
            parent = extension.pending.get(frame["parent"].get("id"))
            if parent is None or parent.kind != PARENTS.get(frame["parent"].get("kind")):
                return Failure("stale", "the call that it belongs to is over")
        is_over = lambda: (
            extension.state in ("failed", "ended") or frame["id"] in extension.unwanted
            or parent is not None and (parent.done.is_set() or parent.cancelled))
        says = {"what": "dialog", "extension": extension.name, "method": frame["method"], "params": params}
        timeout = params.get("timeout_ms")
        with standing_still(parent):
            answer = self.screen.ask(says, is_over, timeout and timeout / 1000)
        if isinstance(answer, Failure) and answer.kind == "timeout":
            return {"dismissed": "timeout"}
        return answer
