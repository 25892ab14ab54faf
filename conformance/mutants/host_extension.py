"""An extension under the host of host.py: its process, its frames, its calls."""

import json
import os
import queue
import re
import signal
import subprocess
import threading
import time

LIMIT = 4194303
MUTANT = None


def broken(name):
    return MUTANT == name


def whole(value):
    """The value without halves of surrogate pairs."""
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, list):
        return [whole(one) for one in value]
    if isinstance(value, dict):
        return {whole(key): whole(one) for key, one in value.items()}
    return value


class Failure(Exception):
    def __init__(self, kind, message):
        super().__init__(message)
        self.kind = kind


class Pending:
    """A call that waits for its answer."""

    def __init__(self, kind):
        self.kind = kind
        self.done = threading.Event()
        self.answer = None

    def give(self, answer):
        if not self.done.is_set():
            self.answer = answer
            self.done.set()

    def wait(self, seconds):
        if not self.done.wait(seconds):
            return Failure("timeout", "it did not answer in time")
        return self.answer


class Extension:
    def __init__(self, host, folder, index):
        self.host, self.folder, self.index = host, folder, index
        with open(os.path.join(folder, "extension.json"), encoding="utf-8") as file:
            self.manifest = json.load(file)
        self.name = self.manifest["name"]
        self.state, self.problem = "starting", None
        self.acknowledged = None
        self.heard = time.monotonic()
        self.capabilities = []
        self.tools, self.commands = {}, {}
        self.subscribed = {"events": [], "intercept": [], "guards": []}
        self.on_failure = {}
        self.pending, self.count = {}, 0
        self.lock = threading.RLock()
        self.turns = {}
        self.panels = {}
        self.words = b""
        self.outgoing = queue.Queue()
        self.process = None
        self.reads, self.reads_at_hello = 0, 0
        self.stale = None

    def start(self):
        exec_ = self.manifest["exec"]
        try:
            self.process = subprocess.Popen(
                [exec_, *self.manifest.get("args", [])], cwd=self.folder, bufsize=0,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                start_new_session=True)
        except OSError as error:
            exec_ = "it" if broken("names-no-program") else exec_
            self.fail(f"{exec_} cannot be started: {error.strerror}")
            return
        self.guardian = None
        if not broken("leaves-orphans"):
            script = 'read -r x && exit; kill -TERM -$1; sleep 1; kill -KILL -$1'
            self.guardian = subprocess.Popen(
                ["/bin/sh", "-c", script, "sh", str(self.process.pid)], stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        threading.Thread(target=self.drain, daemon=True).start()
        threading.Thread(target=self.write_all, daemon=True).start()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    # What goes to it.

    def send(self, frame):
        line = json.dumps(frame, ensure_ascii=False, separators=(",", ":"))
        if broken("writes-keys-twice") and frame["type"] == "tool_call":
            line = '{"id":"x",' + line[1:]
        line = line.encode("latin-1" if broken("writes-latin-1") and "ü" in line else "utf-8", "replace")
        if broken("writes-bom") and frame["type"] == "tool_call":
            line = b"\xef\xbb\xbf" + line
        end = b"\r\n" if broken("writes-crlf") else b"\n"
        if broken("writes-blank-lines"):
            end += b"\n"
        if broken("writes-block") or broken("one-writer-for-all"):
            with self.host.writing:
                self.put(line + end)
        else:
            self.outgoing.put(line + end)

    def put(self, data):
        while data:
            data = data[os.write(self.process.stdin.fileno(), data):]

    def write_all(self):
        while True:
            data = self.outgoing.get()
            try:
                if data is None:
                    self.process.stdin.close()
                    return
                self.put(data)
            except (OSError, ValueError):
                return

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

    def ask(self, kind, frame, seconds):
        """Sends a call and waits for its answer; an unanswered one is a Failure."""
        pending = Pending(kind)
        if self.state == "failed":
            return Failure("transient", self.problem)
        id_ = self.id(pending)
        frame["id"] = id_
        if self.stale:
            pending.give(self.stale)
        if frame["type"] == "tool_call" and self.host.cancels is not None:
            self.host.calls[threading.current_thread()] = (self, id_, pending)
        self.send(frame)
        answer = pending.wait(seconds)
        self.pending.pop(id_, None)
        return answer

    # What comes from it.

    def drain(self):
        if broken("never-reads-stderr"):
            return
        while True:
            data = os.read(self.process.stderr.fileno(), 65536)
            if not data:
                return
            self.words = (self.words + data)[-2000:]

    def read(self):
        buffer, first = b"", True
        while True:
            try:
                data = os.read(self.process.stdout.fileno(), 262144)
            except OSError:
                data = b""
            if not data:
                break
            self.reads += 1
            if broken("first-read-is-hello") and first:
                self.handle(data.split(b"\n")[0])
                first = False
                continue
            first = False
            if broken("a-read-is-a-line") and self.state == "ready":
                self.handle(data)
                continue
            fresh = len(buffer)
            buffer += data
            limit = 65536 if broken("small-lines-only") else LIMIT
            while (end := buffer.find(b"\n", fresh)) >= 0:
                line, buffer, fresh = buffer[:end], buffer[end + 1:], 0
                if len(line) > limit:
                    if broken("long-line-ends-it"):
                        return self.fail("a line that is too long")
                    self.too_long(line)
                else:
                    self.handle(line)
        self.died()

    def died(self):
        if broken("waits-for-the-dead"):
            return
        if broken("ignores-closed-stdout") and self.process.poll() is None:
            return
        if self.state in ("ending", "ended"):
            return
        try:
            status = self.process.wait(0.3)
        except subprocess.TimeoutExpired:
            status = "no status: its stdout ended and it runs on"
        time.sleep(0.05)
        words = "" if broken("keeps-last-words") else self.words.decode("utf-8", "replace")
        status = "unknown" if broken("hides-the-status") else status
        self.fail(f"it ended, status {status}; its last words: {words}")

    def fail(self, problem):
        if self.state == "failed":
            return
        self.problem = problem
        self.state = "failed"
        self.host.tell("problem", self.name, problem)
        if not broken("offers-the-dead"):
            self.tools, self.commands = {}, {}
        if self.process and not broken("leaves-the-refused"):
            self.kill(signal.SIGKILL)
        for pending in list(self.pending.values()):
            pending.give(Failure("transient", problem))

    def kill(self, number):
        try:
            if broken("ends-only-the-leader"):
                self.process.send_signal(number)
            else:
                os.killpg(self.process.pid, number)
        except (ProcessLookupError, PermissionError):
            pass

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
        handler = getattr(self, "on_" + frame["type"], None)
        if handler:
            handler(frame)
        elif broken("refuses-unknown-types"):
            self.fail(f"an unknown frame: {frame['type']}")

    def hello(self, frame):
        if frame["type"] != "hello" or not isinstance(frame.get("name"), str):
            if not broken("takes-any-first-frame"):
                return self.fail(f"its first frame is no hello: {json.dumps(frame)[:200]}")
        self.capabilities = frame.get("capabilities") or []
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
        self.tools[name] = frame

    def on_register_command(self, frame):
        self.commands[frame["name"]] = frame

    def on_subscribe(self, frame):
        for kind, names in self.subscribed.items():
            if broken("newest-subscribe-alone"):
                names.clear()
            wanted = frame.get(kind) or []
            if broken("unknown-name-ends-subscribe") and "no_such_event" in wanted:
                continue
            names.extend(wanted)
        self.on_failure.update(frame.get("on_failure") or {})

    def on_ready(self, _frame):
        if self.state == "starting":
            self.state = "ready"
        if "registration_report" in self.capabilities and not broken("reports-nothing"):
            self.send({"type": "registered"})

    def on_notify(self, frame):
        if isinstance(frame.get("message"), str):
            self.host.tell("note", self.name, frame["message"])

    def answered(self, kind, frame):
        pending = self.pending.get(frame.get("id"))
        if pending is None and broken("unknown-id-ends-it"):
            return self.fail("an answer to nothing")
        if broken("second-result-counts") and kind == "tool_result":
            seen = self.host.__dict__.setdefault("seen", set())
            if frame["id"] in seen:
                pending = next((one for one in self.pending.values() if not one.done.is_set()), None)
            seen.add(frame["id"])
        if broken("late-result-counts") and pending is None:
            # Of this call, or of the next one.
            pending = next(iter(self.pending.values()), None)
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
        if not isinstance(frame.get("content", []), list):
            if broken("bad-result-waits"):
                return
            if broken("bad-result-ends-it"):
                return self.fail("a result that cannot be used")
            pending = self.pending.get(frame.get("id"))
            if pending:
                pending.give(Failure("protocol", "content is no list"))
            return
        self.answered("tool_result", frame)

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

    # Its end.

    def end(self):
        if self.process is None or self.state == "failed":
            return
        self.state = "ending"
        if not broken("closes-without-shutdown"):
            self.send({"type": "shutdown"})
        self.outgoing.put(None)
        steps = [(2, signal.SIGTERM), (1, signal.SIGKILL)]
        if broken("terms-at-once"):
            steps = [(0, signal.SIGTERM), (1, signal.SIGKILL)]
        if broken("kills-at-once"):
            steps = [(0.2, signal.SIGKILL)]
        if broken("never-kills"):
            steps = [(2, signal.SIGTERM)]
        for seconds, number in steps:
            try:
                self.process.wait(seconds)
            except subprocess.TimeoutExpired:
                self.kill(number)
        if not broken("never-kills"):
            self.process.wait(5)
        if not broken("ends-only-the-leader"):
            self.kill(signal.SIGKILL)
        self.state = "ended"
        for pending in list(self.pending.values()):
            pending.give(Failure("transient", "the host ends"))

    def let_go(self):
        if self.process and self.guardian:
            self.guardian.stdin.write(b"\n")
            self.guardian.stdin.close()
