"""An extension under host.py: its frames, and the calls that wait for it."""

import json
import os
import re
import signal
import threading
import time

from host_agent import METHODS as AGENT
from host_basics import LIMIT, Failure, Pending, broken, whole
from host_filters import Filters
from host_pending import METHOD as PUSH
from host_person import DIALOGS, DISPLAYS
from host_programs import METHOD as EXEC
from host_services import KEPT, SECRETS
from host_process import Process


def is_names(value):
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


def shows(view):
    """Whether it is a view that this host can show: it knows lines, and tables."""
    kind = view.get("kind") if isinstance(view, dict) else None
    if kind == "table":
        return all(len(row) <= len(view["columns"]) for row in view["rows"])
    return kind == "lines"


class Extension(Process):
    def __init__(self, host, folder, index):
        super().__init__(host, folder)
        self.index = index
        with open(os.path.join(folder, "extension.json"), encoding="utf-8") as file:
            self.manifest = json.load(file)
        self.name = self.manifest["name"]
        self.acknowledged = None
        self.heard = time.monotonic()
        self.capabilities, self.methods = [], []
        self.tools, self.commands = {}, {}
        self.subscribed = {"events": [], "intercept": [], "guards": []}
        self.filters, self.on_failure = Filters(), {}
        # Where it declares to guard, and whether it guards where nobody can tell.
        self.declared, self.unclear = set(), False
        if not broken("ignores-manifest-guards"):
            self.declared.update(self.manifest.get("guards", []))
        self.pending, self.count = {}, 0
        self.lock = threading.RLock()
        self.turns = {}
        self.panels = {}
        self.asked, self.strangers = set(), 0
        # Requests of its own that it wants no more.
        self.unwanted = set()
        self.reads_at_hello = 0
        self.stale = None

    def id(self, pending):
        with self.lock:
            self.count += 1
            number = self.count
            if broken("ids-by-the-clock"):
                number = int(time.time() * 100)
            if broken("ids-again"):
                number = 1
            id_ = "" if broken("empty-ids") else str(number)
            self.pending[id_] = pending
        return id_

    def ask(self, kind, frame, seconds, parent=None):
        """Sends a call and waits for its answer; an unanswered one is a Failure."""
        chain = parent.chain if parent else []
        pending = Pending(kind, [*chain, frame.get("name")])
        if self.state == "failed":
            return Failure("transient", self.problem)
        id_ = self.id(pending)
        frame["id"] = id_
        if len(json.dumps(frame)) > LIMIT and not broken("writes-too-large"):
            self.pending.pop(id_)
            return Failure("too_large", "the call is larger than a frame may be")
        pending.above = parent
        if parent:
            parent.children.append((self, id_, pending))
        if self.stale and pending.kind == self.stale["type"]:
            pending.give(self.stale)
        if frame["type"] == "tool_call" and self.host.cancels is not None:
            self.host.calls[threading.current_thread()] = (self, id_, pending)
        self.send(frame)
        answer = pending.wait(seconds)
        pending.done.set()
        self.pending.pop(id_, None)
        self.host.end_children(pending)
        return answer

    # What comes from it.

    def fail(self, problem):
        if self.state == "failed":
            return
        self.problem = problem
        self.state = "failed"
        self.host.tell("problem", self.name, problem)
        self.host.release(self)
        self.host.activate_all_of(self)
        if not broken("offers-the-dead"):
            self.tools, self.commands = {}, {}
        if self.process and not broken("leaves-the-refused"):
            self.kill(signal.SIGKILL)
        for pending in list(self.pending.values()):
            pending.give(Failure("transient", problem))

    def too_long(self, line):
        found = re.search(rb'"id":"([^"]*)"', line[:500])
        pending = self.pending.get(found.group(1).decode()) if found else None
        if pending:
            pending.give(Failure("too_large", "its answer is too large"))

    def handle(self, line):
        if self.state == "failed" or not line.strip(b" \t\r\n\0"):
            return
        self.heard = time.monotonic()
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError as error:
            if broken("bad-utf8-ends-it"):
                return self.fail(f"invalid UTF-8: {error}")
            text = line.decode("utf-8", "replace")
        try:
            frame = json.loads(text)
            if not broken("takes-any-surrogate"):
                frame = whole(frame)
        except RecursionError:
            if broken("deep-lines-end-it"):
                return self.fail("a line that is too deep")
            frame = None
        except ValueError as error:
            if broken("junk-ends-it"):
                return self.fail(f"junk on stdout: {error}")
            frame = None
        if broken("nulls-end-it") and text.strip() == "null":
            return self.fail("null on stdout")
        if not isinstance(frame, dict) or not isinstance(frame.get("type"), str):
            self.host.tell("problem", self.name, f"skipped a line: {text[:200]}")
            if broken("refuses-banner") and not self.acknowledged:
                self.fail(f"its first line is {text[:80]}")
            return
        if broken("refuses-unknown-fields") and "later" in frame:
            return self.fail("an unknown field: later")
        if not self.acknowledged:
            return self.hello(frame)
        if self.state == "ending" and broken("stops-reading-at-shutdown"):
            return
        handler = getattr(self, "on_" + frame["type"], None)
        if handler:
            handler(frame)
        elif broken("refuses-unknown-types"):
            self.fail(f"an unknown frame: {frame['type']}")
        elif broken("strangers-end-the-host"):
            self.strangers += 1
            if self.strangers > 1000:
                os._exit(1)

    def hello(self, frame):
        if frame["type"] != "hello" or not isinstance(frame.get("name"), str):
            if not broken("takes-any-first-frame"):
                return self.fail(f"its first frame is no hello: {json.dumps(frame)[:200]}")
        self.capabilities = frame.get("capabilities") or []
        self.methods = frame.get("methods") or []
        if not broken("ignores-hello-guards"):
            self.declared.update(frame.get("guards") or [])
        if broken("wants-capabilities") and not self.capabilities:
            return self.fail("it names no capability")
        if broken("ack-late"):
            time.sleep(4)
        if broken("event-before-ack"):
            self.send({"type": "event", "event": "turn_start"})
        self.acknowledged = time.monotonic()
        self.reads_at_hello = self.reads
        self.send(self.host.ack(self))
        if broken("acks-twice"):
            self.send(self.host.ack(self))

    def on_register_tool(self, frame):
        if broken("drops-before-ack") and self.reads == self.reads_at_hello:
            return
        name, schema = frame.get("name"), frame.get("schema", {"type": "object"})
        kinds = (None, "object", "string", "integer", "number", "boolean", "array", "null")
        good = (isinstance(name, str) and re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name)
                and isinstance(schema, dict) and isinstance(schema.get("type", "object"), str)
                and schema.get("type") in kinds)
        if not good and not broken("takes-bad-tools"):
            self.host.tell("problem", self.name, f"the tool {name} is refused: bad name or schema")
            if broken("bad-tool-refuses-all"):
                self.fail(f"the tool {name} cannot be used")
            return
        if self.state == "ready" and broken("late-tools-are-lost"):
            return
        if self.state == "ready" and broken("late-tools-by-half"):
            frame["half"] = True
        self.tools[name] = frame

    def on_unregister_tool(self, frame):
        if not broken("unregister-does-nothing"):
            self.tools.pop(frame.get("name"), None)

    def on_register_command(self, frame):
        self.commands[frame["name"]] = frame

    def on_subscribe(self, frame):
        for kind, names in self.subscribed.items():
            if broken("newest-subscribe-alone"):
                names.clear()
            wanted = frame.get(kind) or []
            if broken("unknown-name-ends-subscribe") and "no_such_event" in wanted:
                continue
            if not is_names(wanted):
                self.host.tell("problem", self.name, f"{kind} of its subscribe cannot be read")
                if broken("drops-subscribe-in-part"):
                    return
                self.unclear |= kind == "guards" and not broken("ignores-unclear-guards")
                continue
            names.extend(wanted)
            if kind == "events":
                self.add_filters(wanted, frame.get("filters"))
            if kind == "guards" and kind in frame:
                self.unclear = False
        on_failure = frame.get("on_failure") or {}
        if isinstance(on_failure, dict):
            self.on_failure.update(on_failure)

    def add_filters(self, events, filters):
        for event in self.filters.add(events, filters if isinstance(filters, dict) else {}):
            self.host.tell("problem", self.name, f"its filter of {event} cannot be used")

    def on_ready(self, _frame):
        if self.state == "starting":
            self.state = "ready"
        if "registration_report" in self.capabilities and not broken("reports-nothing"):
            self.send({"type": "registered"})

    def on_notify(self, frame):
        if broken("loses-early-notes") and time.monotonic() - self.acknowledged < 1:
            return
        if isinstance(frame.get("message"), str):
            name = "" if broken("notes-without-name") else self.name
            self.host.tell("note", name, frame["message"])

    def answered(self, kind, frame):
        id_ = frame.get("id")
        if isinstance(id_, int) and broken("numbers-are-ids"):
            id_ = str(id_)
        pending = self.pending.get(id_) if isinstance(id_, str) else None
        if pending is None and broken("unknown-id-ends-it"):
            return self.fail("an answer to nothing")
        if broken("second-result-counts") and kind == "tool_result":
            seen = self.host.__dict__.setdefault("seen", set())
            if frame["id"] in seen:
                pending = next((one for one in self.pending.values() if not one.done.is_set()), None)
            seen.add(frame["id"])
        late = "late-result-counts" if kind == "tool_result" else "late-answer-counts"
        if broken(late) and pending is None:
            # Of this call, or of the next one.
            pending = next((one for one in self.pending.values() if one.kind == kind), None)
            self.stale = None if pending else frame
        if broken("answers-first-come"):
            pending = next((one for one in self.pending.values() if not one.done.is_set()), None)
        if broken("anybody-answers") and pending is None:
            for other in self.host.extensions:
                pending = pending or other.pending.get(frame.get("id"))
        if pending is None or (pending.kind != kind and not broken("any-answer-counts")):
            return
        pending.give(frame)

    def on_tool_result(self, frame):
        if frame.get("content") is None and not broken("wants-content"):
            frame["content"] = []
        if not isinstance(frame.get("content"), list):
            if broken("bad-result-waits"):
                return
            if broken("bad-result-ends-it"):
                return self.fail("a result that cannot be used")
            pending = self.pending.get(frame.get("id"))
            if pending:
                pending.give(Failure("protocol", "content is no list"))
            return
        if broken("strange-blocks-spoil-all"):
            kinds = ("text", "image")
            frame["content"] = [block for block in frame["content"] if block.get("type") in kinds]
        if broken("empty-is-no-error") and not frame["content"]:
            frame["is_error"] = False
        if "view" in frame and not shows(frame["view"]) and not broken("takes-any-view"):
            if broken("bad-view-fails-the-call"):
                frame.update(is_error=True, content=[{"type": "text", "text": "a bad view"}])
            del frame["view"]
        self.answered("tool_result", frame)

    def on_call_tool(self, frame):
        if isinstance(frame.get("id"), str):
            self.host.call_tool(self, frame)

    def on_cancel(self, frame):
        self.unwanted.add(frame.get("id"))

    def on_request(self, frame):
        """This host serves what it shows to a person, programs, what it keeps, proposals and its agent, and no more."""
        served = [*DIALOGS, *DISPLAYS, EXEC, *SECRETS, *KEPT, PUSH, *AGENT]
        if isinstance(frame.get("id"), str) and frame.get("method") in served:
            self.unwanted.discard(frame["id"])
            threading.Thread(target=self.host.serve, args=[self, frame], daemon=True).start()
        elif isinstance(frame.get("id"), str) and not broken("methods-unanswered"):
            error = {"code": "unsupported", "message": f"unknown method {frame.get('method')}"}
            self.send({"type": "response", "id": frame["id"], "error": error})

    def on_response_part(self, frame):
        pending = self.pending.get(frame.get("id")) if isinstance(frame.get("id"), str) else None
        if pending and pending.kind == "response" and not broken("parts-are-dropped"):
            pending.parts.append(frame.get("data"))

    def on_response(self, frame):
        self.answered("response", frame)

    def on_command_response(self, frame):
        if frame.get("action") == "open_panel" and isinstance(frame.get("open_panel"), dict):
            panel = frame["open_panel"]
            self.panels[panel["id"]] = {
                "title": panel.get("title", self.name), "lines": panel.get("lines", []),
                "footer": panel.get("footer", "")}
        self.answered("command_response", frame)

    def on_event_intercept_response(self, frame):
        self.answered("event_intercept_response", frame)

    def on_panel_render(self, frame):
        panel = self.panels.get(frame.get("panel_id"))
        if panel is None and broken("anybody-draws"):
            for other in self.host.extensions:
                panel = panel or other.panels.get(frame.get("panel_id"))
        if panel is None and broken("reopens-panels"):
            panel = self.panels[frame["panel_id"]] = {"title": "", "lines": [], "footer": ""}
        if panel is None:
            return
        if not broken("keeps-old-lines") or "lines" in frame:
            panel["lines"] = frame.get("lines", [])
        panel["footer"] = frame.get("footer", "")
        if "title" in frame or broken("clears-titles"):
            panel["title"] = frame.get("title", "")

    def on_panel_close(self, frame):
        self.panels.pop(frame.get("panel_id"), None)
