"""Calls that want one answer, and what the answer of a tool looks like."""
import base64
import threading
import time

from frames import Raw, encode


class Failed(Exception):
    def __init__(self, kind, message, **more):
        super().__init__(message)
        self.error = {"kind": kind, "message": message, **more}


def cancelled():
    return Failed("cancelled", "cancelled")


def text_block(text):
    return {"type": "text", "text": text}


def image_block(data):
    return {"type": "image", "mime_type": "image/png", "data": base64.b64encode(data).decode()}


class Call:
    """A call that wants one answer."""

    def __init__(self, kit, kind, frame, raw):
        self.kit, self.kind, self.frame, self.raw = kit, kind, frame, raw
        self.id = frame["id"]
        self.cancelled = False
        # It is not to be done: the answer says what became of the call of that key.
        self.reconcile, self.key = frame.get("reconcile") is True, frame.get("operation_key") or ""
        deadline = frame.get("deadline_ms")
        # Until when the host waits; it stands still while a person is asked.
        self.until = time.monotonic() + deadline / 1000 if isinstance(deadline, int) else None
        self.unsent, self.seq, self.next_update = None, 0, 0.0

    @property
    def args(self):
        return self.frame.get("args") or {}

    def take(self, name, kind, words):
        value = self.args.get(name)
        if not isinstance(value, kind) or isinstance(value, bool):
            raise Failed("validation", f"{name} is required, as {words}", field="/" + name)
        return value

    def string(self, name):
        return self.take(name, str, "a string")

    def count(self, name):
        return self.take(name, int, "a whole number")

    def wait(self, until, seconds=None):
        """Waits until that is true; raises when the call is cancelled."""
        with self.kit.changed:
            self.kit.changed.wait_for(lambda: self.cancelled or until(), seconds)
        if self.cancelled:
            raise cancelled()

    def stood_still(self, seconds):
        """A person was asked for so long on behalf of the call."""
        if self.until is not None:
            self.until += seconds

    def update(self, **progress):
        """Shows how far it is: the latest, and no more than twenty a second."""
        with self.kit.changed:
            if "tool_update" not in self.kit.host_names:
                return
            idle = self.unsent is None
            self.unsent = progress
            wait = self.next_update - time.monotonic()
        if wait <= 0:
            self.send_update()
        elif idle:
            timer = threading.Timer(wait, self.send_update)
            timer.daemon = True
            timer.start()

    def send_update(self):
        with self.kit.changed:
            if self.unsent is None or not self.kit.is_open(self):
                return
            self.seq, self.next_update = self.seq + 1, time.monotonic() + 0.05
            progress, self.unsent = self.unsent, None
            self.kit.emit({"type": "tool_update", "id": self.id, "seq": self.seq, "progress": progress})


def result_frame(call, result):
    """The answer to a tool call, from what the tool returned."""
    frame = {"type": "tool_result", "id": call.id}
    if isinstance(result, Raw):
        return {**frame, "content": [text_block(encode(result))], "structured_content": result}
    if isinstance(result, dict):
        return {**frame, **result}
    return {**frame, "content": [] if result is None else [text_block(result)]}


def error_frame(call, error):
    content = [text_block(error["message"])]
    return {"type": "tool_result", "id": call.id, "content": content, "is_error": True, "error": error}
