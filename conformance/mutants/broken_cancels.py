"""Mistakes of the kit: cancels and updates."""
import time

import calls
from kit import Kit
from mutation import all_named, around, members, mutant, tool, written


@mutant
def cancel_mute():
    def mute(reply, self, call, frame):
        if not getattr(call, "cancelled", False):
            reply(self, call, frame)
    around(Kit, "reply")(mute)


@mutant
def cancel_crosses():
    """Of what is cancelled while its answer is on its way, one in fifty is forgotten."""
    crossed = []

    def forget(reply, self, call, frame):
        crossed.extend([call] if getattr(call, "cancelled", False) else [])
        if not crossed or crossed[-1] is not call or len(crossed) % 50:
            reply(self, call, frame)
    around(Kit, "reply")(forget)


@mutant
def cancel_words():
    written(lambda text: text.replace('"text":"cancelled"', '"text":"the call was cancelled"'))


@mutant
def cancel_late():
    def late(cancel, self, frame, raw):
        call = self.calls.get(("tool_call", frame.get("id")))
        if call is None or time.monotonic() - call.began > 5:
            cancel(self, frame, raw)

    def began(init, self, *args):
        self.began = time.monotonic()
        init(self, *args)
    around(calls.Call, "__init__")(began)
    around(Kit, "on_tool_cancel")(late)


def cancelled_frame(frame):
    error = {"kind": "cancelled", "message": "cancelled"}
    return {"type": "tool_result", "id": frame["id"], "content": [calls.text_block("cancelled")], "is_error": True, "error": error}


@mutant
def cancel_answers():
    def answer(cancel, self, frame, raw):
        if ("tool_call", frame["id"]) not in self.calls:
            self.emit(cancelled_frame(frame))
        cancel(self, frame, raw)
    around(Kit, "on_tool_cancel")(answer)


@mutant
def cancel_each():
    around(Kit, "on_tool_cancel")(lambda cancel, self, frame, raw: self.emit(cancelled_frame(frame)))


@mutant
def cancel_all():
    def everybody(cancel, self, frame, raw):
        for kind, call in list(self.calls):
            cancel(self, {"id": call}, raw)
    around(Kit, "on_tool_cancel")(everybody)


@mutant
def cancel_kept():
    kept = set()
    around(Kit, "on_tool_cancel")(lambda cancel, self, frame, raw: (kept.add(frame["id"]), cancel(self, frame, raw)))

    def begin(begin, self, kind, frame, call):
        begun = begin(self, kind, frame, call)
        if frame.get("id") in kept:
            self.reply(self.calls[kind, frame["id"]], cancelled_frame(frame))
        return begun
    around(Kit, "begin")(begin)
    tool("text", lambda call, text: text(call))


@mutant
def seq_zero():
    members(lambda frame: {**frame, "seq": frame["seq"] - 1} if "seq" in frame else frame)


@mutant
def seq_gaps():
    members(lambda frame: {**frame, "seq": frame["seq"] * 2 - 1} if "seq" in frame else frame)


@mutant
def update_flood():
    def flood(update, self, **progress):
        self.seq += 1
        self.kit.emit({"type": "tool_update", "id": self.id, "seq": self.seq, "progress": progress})
    original = calls.Call.update
    calls.Call.update = lambda self, **progress: flood(original, self, **progress)


@mutant
def update_late():
    def late(self):
        with self.kit.changed:
            if self.unsent is not None:
                self.seq, self.next_update, self.unsent = self.seq + 1, time.monotonic() + 0.05, None
                self.kit.emit({"type": "tool_update", "id": self.id, "seq": self.seq})
    calls.Call.send_update = late


@mutant
def update_unasked():
    all_named()


@mutant
def log_unasked():
    all_named()
