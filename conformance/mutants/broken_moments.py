"""Mistakes of the kit: events, intercepts, the panel."""
import os
import threading
import time
from types import SimpleNamespace

import moments
import registrations
from kit import Kit
from moments import Intercept, Lane, Panel
from mutation import around, drop, members, mutant, replace, some


# ---- events and intercepts

def in_threads(lane):
    put = Lane.put

    def start(self, item):
        if self.name == lane:
            threading.Thread(target=self.handle, args=(item,), daemon=True).start()
        else:
            put(self, item)
    Lane.put = start
    # A handler that takes a moment takes long: on a busy machine the next thread begins later than that.
    moments.time = SimpleNamespace(sleep=lambda seconds: time.sleep(50 * seconds))


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


@mutant
def ignores_its_filter():
    replace("is_wanted", lambda event: True)


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
def asks_without_block():
    def bare(members):
        return {name: value for name, value in members.items() if name != "block" or "ask" not in members}
    answers(bare)


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
        replace("guard", lambda _, may_it: guard(args, may_it))
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
