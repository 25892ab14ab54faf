"""Mistakes of the kit: requests both ways, and the clocks that stand still while a person is asked."""

import rpc
from calls import Call
from frames import Raw
from kit import Kit
from moments import Intercept
from mutation import around, drop, members, mutant, tool
from rpc import Asked, Proposals, Questions


# ---- what the host asks

@mutant
def parts_from_zero():
    members(lambda frame: {**frame, "seq": frame["seq"] - 1} if frame["type"] == "response_part" else frame)


@mutant
def part_behind():
    def reply(reply, self, call, frame):
        reply(self, call, frame)
        if frame["type"] == "response" and call.parts:
            self.emit({"type": "response_part", "id": call.id, "seq": call.parts + 1, "data": None})
    around(Kit, "reply")(reply)


@mutant
def response_twice():
    def reply(reply, self, call, frame):
        reply(self, call, frame)
        if frame["type"] == "response":
            self.emit(frame)
    around(Kit, "reply")(reply)


@mutant
def parts_unbounded():
    rpc.PARTS_AHEAD = 1_000_000


@mutant
def method_unknown_mute():
    def asked(on_request, self, frame, raw):
        if frame.get("method") in ("kit.count", "kit.wait"):
            on_request(self, frame, raw)
    around(Kit, "on_request")(asked)


@mutant
def cancel_own():
    def cancel(on_cancel, self, frame, raw):
        if frame.get("id") in self.questions.open:
            frame = {"type": "response", "id": frame["id"], "error": {"code": "cancelled", "message": "cancelled"}}
            self.questions.arrived(frame)
        else:
            on_cancel(self, frame, raw)
    around(Kit, "on_cancel")(cancel)


@mutant
def no_request_deadline():
    around(Asked, "run")(lambda run, self: (setattr(self, "until", None), run(self)))


# ---- what it asks

@mutant
def response_of_hosts():
    def arrived(arrived, self, frame):
        # It looks among the requests of the host's first.
        call = self.kit.calls.get(("request", frame.get("id")))
        if call is None and ("request", frame.get("id")) not in self.seen:
            arrived(self, frame)
    Questions.seen = set()
    around(Questions, "arrived")(arrived)
    around(Kit, "on_request")(lambda ask, self, frame, raw: (
        Questions.seen.add(("request", frame.get("id"))), ask(self, frame, raw)))


@mutant
def no_request_parent():
    drop("request", "parent")


@mutant
def parts_lost():
    around(Questions, "arrived")(lambda arrived, self, frame: (
        arrived(self, frame) if frame["type"] == "response" else None))


@mutant
def any_response():
    def arrived(arrived, self, frame):
        for ask in list(self.open):
            arrived(self, {**frame, "id": ask})
    around(Questions, "arrived")(arrived)


@mutant
def request_unasked():
    def ask(ask, self, call, method, params):
        self.kit.host_methods = [method]
        return ask(self, call, method, params)
    around(Questions, "ask")(ask)


@mutant
def response_error_lost():
    around(Questions, "arrived")(lambda arrived, self, frame: arrived(self, {**frame, "error": None}))


@mutant
def answer_unread():
    around(Questions, "confirm")(lambda confirm, self, call, title: (confirm(self, call, title), True)[1])


# ---- a person is asked

@mutant
def dialog_stays():
    def emit(emit, self, frame):
        if frame["type"] != "cancel":
            emit(self, frame)
    around(Kit, "emit")(emit)


@mutant
def deadline_goes_on():
    Call.stood_still = lambda self, seconds: None


@mutant
def margin_goes_on():
    def wait(self, until):
        with self.kit.changed:
            self.kit.changed.wait_for(until)
    Intercept.wait = wait


@mutant
def margin_forgotten():
    # Once somebody was asked, no time counts any more.
    Intercept.asking = property(lambda self: bool(Intercept.asked), lambda self, value: Intercept.asked.append(value) if value else None)
    Intercept.asked = []


# ---- the configuration

@mutant
def config_first():
    def configure(configure, self, frame):
        if frame["type"] == "hello_ack":
            configure(self, frame)
    around(Kit, "configure")(configure)


@mutant
def config_null():
    tool("config", lambda call, config: config(call) if "config" in call.kit.ack else Raw("null"))


@mutant
def config_any():
    def configure(configure, self, frame):
        configure(self, frame)
        self.config = frame.get("config", self.config)
    around(Kit, "configure")(configure)


# ---- what it proposes

@mutant
def proposals_forgotten():
    def label(label, self, handle):
        found = label(self, handle)
        self.forget(handle)
        return found
    around(Proposals, "label")(label)


@mutant
def proposals_mixed_up():
    around(Proposals, "label")(lambda label, self, handle: list(self.labels.values())[-1])
