"""Mistakes of the kit: failures, output, the end."""
import os
import subprocess
import sys
import threading

import frames
import kit
import pipes
from kit import Kit
from mutation import around, command, drop, members, mutant, replace, results, tool


# ---- failures and output

@mutant
def kinds_lost():
    members(lambda frame: {**frame, "error": {**frame["error"], "kind": "internal"}} if frame["type"] == "tool_result" and "error" in frame else frame)


@mutant
def error_unflagged():
    drop("tool_result", "is_error")


@mutant
def error_short():
    def short(frame):
        return {**frame, "error": {key: frame["error"][key] for key in ("kind", "message")}} if "error" in frame else frame
    results(short)


def dies_of(kind):
    def die(answer, call, run):
        try:
            return run()
        except kind:
            os._exit(1)
    tool("fail", lambda call, fail: die(None, call, lambda: fail(call)))
    command(lambda answer, name, args, call: die(None, call, answer))


@mutant
def throws_die():
    dies_of(ValueError)


@mutant
def panics_die():
    dies_of(SystemExit)


@mutant
def returns_die():
    dies_of(TypeError)


@mutant
def no_claim():
    replace("claim", lambda: (0, 1))


@mutant
def stderr_is_stdout():
    def stray(call, _):
        call.kit.writer.waiting.put(b"x" * call.count("n") + b"\n")
        return "written"
    tool("stderr", stray)


@mutant
def notes_late():
    around(Kit, "notify")(lambda notify, self, message: threading.Timer(0.5, notify, (self, message)).start())


@mutant
def notes_between():
    """Notes go out as soon as there is room, also in the middle of a frame."""
    notes = []

    def note(_, self, message):
        notes.append(frames.line({"type": "notify", "level": "info", "message": message}))
        self.writer.waiting.put(b"")

    def run(_, self):
        for data in iter(self.waiting.get, None):
            while data or notes:
                data = data[os.write(self.pipe, data[:4096]):]
                while notes:
                    os.write(self.pipe, notes.pop(0))
    around(Kit, "notify")(note)
    around(pipes.Writer, "run")(run)


@mutant
def level_odd():
    members(lambda frame: {**frame, "level": "note"} if frame["type"] == "notify" else frame)


@mutant
def log_to_stderr():
    def log(call, _):
        print(call.string("message"), file=sys.stderr)
        return "logged"
    tool("log", log)


# ---- the end

@mutant
def ack_before_answers():
    def early(end, self, shutdown):
        self.emit({"type": "shutdown_ack"})
        end(self, False)
    around(Kit, "end")(early)


@mutant
def open_at_end():
    def forget(end, self, shutdown):
        self.calls.clear()
        end(self, shutdown)
    around(Kit, "end")(forget)


@mutant
def waits_for_all():
    kit.LAST_RESULTS = 30


@mutant
def child_lives():
    def spawn(*_):
        null = subprocess.DEVNULL
        subprocess.Popen(["sleep", "20"], stdin=null, stdout=null, stderr=null, start_new_session=True)
        return "started"
    tool("spawn_child", spawn)


@mutant
def runs_after_shutdown():
    Kit.ending = property(lambda self: False, lambda self, value: None)
