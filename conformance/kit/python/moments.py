"""What the host tells and asks unasked: events, intercepts, the panel."""
import queue
import sys
import threading
import time
import traceback
from fnmatch import fnmatchcase

from registrations import FILTERS


class Lane(threading.Thread):
    """Handles one thing after the other; a handler that throws ends nothing."""

    def __init__(self, name, handle):
        super().__init__(name=name, daemon=True)
        self.handle, self.waiting = handle, queue.SimpleQueue()

    def put(self, item):
        self.waiting.put(item)

    def run(self):
        while True:
            item = self.waiting.get()
            try:
                self.handle(item)
            except BaseException:
                traceback.print_exc()


def label(event):
    parts = [event["event"]] + [event[name] for name in ("step", "tool_name", "text") if event.get(name) is not None]
    return " ".join(map(str, parts))


def is_wanted(event):
    """A host that does not know filters sends the events of all tools."""
    tools = FILTERS.get(event["event"], {}).get("tools", ["*"])
    return any(fnmatchcase(str(event.get("tool_name")), tool) for tool in tools)


def handle_event(kit, event):
    step = event.get("step")
    if event["event"] == "turn_start" and step is not None and step % 10 == 0:
        time.sleep(0.02)
    with kit.changed:
        kit.tools.labels.append(label(event))
        kit.changed.notify_all()
    if event["event"] == "turn_end" and event.get("error") == "throw":
        raise ValueError("it was to fail")


# ---- intercepts

class Blocked(Exception):
    pass


class Asked(Exception):
    pass


def first(args):
    what = args.get("do")
    if what == "block":
        raise Blocked("the kit says no")
    if what == "throw":
        raise ValueError("it was to fail")
    if what == "hang":
        time.sleep(60)
    if what == "late":
        time.sleep(0.7)
        raise Blocked("too late")
    return {**args, "first": True} if what == "rewrite" else None


def second(args):
    return {**args, "second": True} if args.get("first") is True else None


def guard(args, may_it):
    what = args.get("do")
    if what == "veto_ask" and not may_it():
        raise Blocked("the person says no")
    if what == "veto_unless":
        raise Asked("it is grave")
    if what == "veto":
        raise Blocked("vetoed")
    if what == "veto_throw":
        raise ValueError("it was to fail")
    if what == "veto_hang":
        time.sleep(60)
    if args.get("second") is True and args.get("veto") is True:
        raise Blocked("saw second")


INTERCEPTORS = [first, second]


class Intercept:
    """One question of the host, answered once: by its handlers or, when they fail, for them."""

    def __init__(self, kit, frame):
        self.kit, self.frame, self.answered = kit, frame, threading.Event()
        self.kind, self.id, self.cancelled = "event_intercept", frame["id"], False
        self.asking = False  # A person, while the time stands still.
        self.point, self.turn = frame["event"], "interceptor " + frame["event"]

    def run(self):
        threading.Thread(target=self.decide, daemon=True).start()
        limit = self.kit.limits.get("intercept_timeout_ms", 5000)
        left = (limit - 500 if limit >= 1000 else limit / 2) / 1000
        while left > 0 or self.asking:
            began, asked = time.monotonic(), self.asking
            if self.answered.wait(0.01 if asked else min(left, 0.01)):
                return
            left -= 0 if asked else time.monotonic() - began
        self.fail(self.turn + " timed out")

    def wait(self, until):
        """As a call waits; here for a person."""
        self.asking = True
        with self.kit.changed:
            self.kit.changed.wait_for(until)

    def stood_still(self, _):
        self.asking = False

    def decide(self):
        try:
            self.answer(getattr(self, "on_" + self.point, dict)())
        except Blocked as no:
            self.answer({"block": True, "reason": str(no)})
        except Asked as why:
            self.answer({"block": True, "ask": True, "reason": str(why)})
        except BaseException as error:
            traceback.print_exc()
            self.fail(f"{self.turn} failed: {error}")

    def fail(self, reason):
        opens = self.point in ("turn_start", "before_agent_start", "user_prompt_submit")
        self.answer({} if opens else {"block": True, "reason": reason})

    def answer(self, members):
        with self.kit.changed:
            if not self.answered.is_set() and self.kit.close("event_intercept", self.frame["id"]):
                self.answered.set()
                self.kit.emit({"type": "event_intercept_response", "id": self.frame["id"], **members})

    def on_tool_call(self):
        args, phase = self.frame.get("tool_args") or {}, self.frame.get("phase")
        changed = {}
        if phase != "guard":
            for interceptor in INTERCEPTORS:
                rewritten = interceptor(args)
                if rewritten is not None:
                    args, changed = rewritten, {"modified_args": rewritten}
        if phase != "intercept":
            self.turn = "guard kit"
            guard(args, lambda: self.kit.questions.confirm(self, "May it?"))
        return changed

    def on_turn_start(self):
        step = self.frame.get("step")
        if step == 900:
            raise Blocked("enough")
        if step == 901:
            raise ValueError("it was to fail")
        return {}

    def on_assistant_message(self):
        text = self.frame.get("text") or ""
        if text == "throw":
            raise ValueError("it was to fail")
        if "forbidden" in text:
            raise Blocked("an unkind word")
        if text == "erase":
            return {"replace_text": ""}
        return {"replace_text": text.replace("plain", "better")} if "plain" in text else {}

    def on_before_agent_start(self):
        prompt = self.frame.get("system_prompt") or ""
        if prompt == "throw":
            raise ValueError("it was to fail")
        if prompt == "keep":
            return {}
        return {"system_prompt": "" if prompt == "remove" else prompt + " (kit)"}

    def on_tool_result(self):
        content = (self.frame.get("result") or {}).get("content") or []
        text = "".join(block["text"] for block in content if block.get("type") == "text")
        if text == "throw":
            raise ValueError("it was to fail")
        if text == "withhold":
            raise Blocked("not for you")
        cut = [{"type": "text", "text": "***"}]
        made = {
            "fail": {"content": [{"type": "text", "text": "it was no good"}], "is_error": True},
            "cut": {"content": cut},
            "all": {"content": cut, "structured_content": {"n": 1}, "details": {"d": 2}, "is_error": False},
        }.get(text)
        return {"replace_result": made} if made else {}

    def on_user_prompt_submit(self):
        text = self.frame.get("text") or ""
        if text == "throw":
            raise ValueError("it was to fail")
        if text == "handled":
            return {"handled": True}
        if "forbidden" in text:
            raise Blocked("not here")
        return {"replace_text": text.replace("plain", "better")} if "plain" in text else {}


# ---- the panel

class Panel:
    """`keys`: shows what was typed. What belongs to an earlier opening counts no more."""

    def __init__(self, kit):
        self.kit, self.typed, self.title, self.opening, self.is_open = kit, "", "", 0, False

    def open(self, title):
        self.typed, self.title, self.is_open = "", title, True
        self.opening += 1
        return {"id": "keys", "title": title, "lines": [""], "footer": "type"}

    def arrived(self, frame):
        """Told by the thread that reads: from a close on nothing is drawn."""
        if frame.get("panel_id") == "keys" and self.is_open:
            if frame["type"] == "panel_close":
                self.is_open = False
            self.kit.panel_lane.put((self.opening, frame))

    def handle(self, item):
        opening, frame = item
        if opening != self.opening:
            return
        if frame["type"] == "panel_close":
            self.draw("too late")
            self.kit.notify("closed")
        elif self.is_open and frame["type"] == "panel_resize":
            self.title = f"{frame['width']}x{frame['height']}"
            self.draw(self.typed)
        elif self.is_open and frame["type"] == "panel_key":
            self.key(frame.get("key"), frame.get("text") or "")

    def key(self, key, text):
        if key == "tab":
            self.is_open = False
            self.kit.emit({"type": "panel_close", "panel_id": "keys"})
        elif key == "rune" and text == "!":
            raise ValueError("it was to fail")
        elif key in ("rune", "enter"):
            if key == "enter":
                time.sleep(0.02)
            self.typed += text if key == "rune" else "/"
            self.draw(self.typed)

    def draw(self, typed):
        with self.kit.changed:
            if self.is_open:
                self.kit.emit({"type": "panel_render", "panel_id": "keys", "title": self.title,
                               "lines": [typed], "footer": "type"})
