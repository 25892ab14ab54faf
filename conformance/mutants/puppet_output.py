"""What the puppet writes, whole frames or, where it is broken, others: the mistakes of writers live here."""
import fcntl
import json
import os
import sys
import time

BROKEN = set(sys.argv[1:])


def broken(name):
    return name in BROKEN


def die():
    os._exit(1)


# What is written at once before the next read, and lost where the pipe does not take it.
UNWRITTEN = []


def write_what_fits():
    data = b"".join(UNWRITTEN)
    UNWRITTEN.clear()
    os.set_blocking(1, False)
    try:
        if hasattr(fcntl, "F_SETPIPE_SZ"):
            fcntl.fcntl(1, fcntl.F_SETPIPE_SZ, 4096)
        os.write(1, data)
    except OSError:
        pass


def write(data):
    if broken("drops-when-full"):
        UNWRITTEN.append(data)
        return
    while data:
        try:
            data = data[os.write(1, data):]
        except BrokenPipeError:
            if broken("ignores-epipe"):
                return
            raise SystemExit(1)


HELD = []
# What a mistake does later: a time, and what is done then.
LATER = []


def later(seconds, act):
    LATER.append((time.monotonic() + seconds, act))


def emit(frame):
    if broken("noisy") and "id" in frame:
        # No mistake: whoever reads must read this too.
        sys.stderr.write("x" * 99_999 + "\n")
        sys.stderr.flush()
    if broken("late-by-one"):
        while HELD:
            HELD.pop()()
        if "id" in frame:
            HELD.append(lambda: put(frame))
            return
    put(frame)


def put(frame):
    text = json.dumps(frame, ensure_ascii=False)
    if broken("cuts-long-line") and len(text) > 4_000_000 or broken("cuts-frame") and frame["type"] == "tool_result":
        text = text[:min(4_000_000, len(text) - 2)]
    if broken("ascii-out"):
        text = text.encode("ascii", "replace").decode()
    if broken("writes-as-locale"):
        name = os.environ.get("LC_ALL", "").partition(".")[2] or "ascii"
        text = text.encode("utf-8" if name.upper() in ("", "UTF-8") else name, "replace").decode("latin-1")
    end = "\r\n" if broken("crlf-out") else "\n"
    write((text + end).encode("utf-8", "replace"))
