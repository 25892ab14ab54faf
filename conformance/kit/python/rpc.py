"""Requests, both ways: what the host asks the kit by method, and what the kit asks the host."""
import time

from calls import Call, Failed, cancelled

CANCELLED = {"code": "cancelled", "message": "cancelled"}
PARTS_AHEAD = 16


class Asked(Call):
    """A request of the host's."""

    def __init__(self, kit, kind, frame, raw):
        super().__init__(kit, kind, frame, raw)
        self.parts = 0

    @property
    def args(self):
        params = self.frame.get("params")
        return params if isinstance(params, dict) else {}

    def run(self):
        try:
            method = self.frame.get("method")
            own = {"kit.count": self.count_up, "kit.wait": self.wait_for_the_end, "state.migrate": self.migrate,
                   "pending.apply": self.apply, "pending.reject": self.reject}
            if method not in own:
                raise Failed("unsupported", f"unknown method {method}")
            answer = {"result": own[method]()}
        except Failed as failed:
            answer = {"error": {"code": failed.error["kind"], "message": failed.error["message"]}}
        except Exception as error:
            answer = {"error": {"code": "internal", "message": f"{type(error).__name__}: {error}"}}
        self.kit.reply(self, {"type": "response", "id": self.id, **answer})

    def count_up(self):
        n, size, began = self.count("n"), self.args.get("bytes"), time.monotonic()
        for i in range(1, n + 1):
            self.send_part(i if size is None else "x" * size)
        is_slow = size is not None and time.monotonic() - began >= 0.5
        return "waited" if is_slow else n

    def apply(self):
        reason = self.string("reason")
        label = self.kit.proposals.label(self.string("handle"))
        if reason == "fail":
            raise Failed("internal", "it was to fail")
        self.kit.proposals.forget(self.string("handle"))
        return {"content": [{"type": "text", "text": f"done {label}: {reason}"}]}

    def reject(self):
        label = self.kit.proposals.label(self.string("handle"))
        self.kit.proposals.forget(self.string("handle"))
        return {"content": [{"type": "text", "text": f"dropped {label}: {self.string('reason')}"}]}

    def send_part(self, data):
        # Whoever writes takes one at a time: what waits behind it is not written yet.
        while self.kit.writer.waiting.qsize() >= PARTS_AHEAD:
            self.wait(lambda: False, 0.002)
        if self.cancelled:
            raise cancelled()
        self.parts += 1
        self.kit.emit({"type": "response_part", "id": self.id, "seq": self.parts, "data": data})

    def wait_for_the_end(self):
        self.wait(lambda: False, None if self.until is None else max(0, self.until - time.monotonic()))
        return "over"

    def migrate(self):
        """All values of an earlier version become one."""
        return {"data": {f"v{self.args['from']}": self.args["data"]}}


class Proposals:
    """The labels of the actions that are pending, by handle: their number, from 1."""

    def __init__(self):
        self.count, self.labels = 0, {}

    def add(self, label):
        self.count += 1
        self.labels[str(self.count)] = label
        return str(self.count)

    def label(self, handle):
        if handle not in self.labels:
            raise Failed("not_found", f"there is no action {handle}")
        return self.labels[handle]

    def forget(self, handle):
        self.labels.pop(handle, None)


class Question:
    """What the kit has asked, until the answer comes."""

    def __init__(self):
        self.parts, self.answer = [], None


class Questions:
    """They have ids of their own: both sides count from 1."""

    def __init__(self, kit):
        self.kit, self.count, self.open = kit, 0, {}

    def ask(self, call, method, params):
        """Asks the host in the name of a call; raises what it answers. The parts, and the result."""
        if "rpc" not in self.kit.host_names or method not in self.kit.host_methods:
            raise Failed("unsupported", f"the host does not serve {method}")
        question, began = Question(), time.monotonic()
        with self.kit.changed:
            self.count += 1
            ask = str(self.count)
            self.open[ask] = question
            kind = {"event_intercept": "intercept"}.get(call.kind, call.kind)
            self.kit.emit({"type": "request", "id": ask, "method": method, "params": params,
                           "parent": {"kind": kind, "id": call.id}})
        try:
            call.wait(lambda: question.answer is not None)
        except Failed:
            self.kit.emit({"type": "cancel", "id": ask})
            raise
        finally:
            self.open.pop(ask)
            if method.startswith("ui."):
                call.stood_still(time.monotonic() - began)
        error = question.answer.get("error")
        if error is not None:
            raise Failed(error["code"], error["message"])
        return question.parts, question.answer.get("result")

    def confirm(self, call, title):
        _, answer = self.ask(call, "ui.confirm", {"title": title})
        return answer.get("confirmed") is True

    def arrived(self, frame):
        with self.kit.changed:
            question = self.open.get(frame.get("id")) if isinstance(frame.get("id"), str) else None
            if question is None:
                return
            if frame["type"] == "response_part":
                question.parts.append(frame.get("data"))
            else:
                question.answer = frame
            self.kit.changed.notify_all()
