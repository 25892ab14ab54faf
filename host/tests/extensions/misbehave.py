#!/usr/bin/env python3
"""An extension that misbehaves on purpose, in one way at a time: the first argument says which.

In every mode that comes that far it has three tools: `echo` answers, `hang` never does, and `pids`
tells the process ids of the extension and of its child.
"""

import json
import os
import signal
import subprocess
import sys
import time

mode = sys.argv[1]
rest = sys.argv[2:]
child = None


def raw(text):
    sys.stdout.write(text)
    sys.stdout.flush()


def emit(**frame):
    raw(json.dumps(frame) + "\n")


def text(call, text):
    emit(type="tool_result", id=call["id"], content=[{"type": "text", "text": text}])


def hello():
    emit(type="hello", name="misbehave", version="1.0.0", capabilities=["tools", "tool_cancel"])


def register(ready=True):
    for name in ["echo", "hang", "pids"]:
        emit(type="register_tool", name=name, description=name, schema={"type": "object"})
    emit(type="register_command", name="hang", description="never answers")
    if ready:
        emit(type="ready")


def sleep_for_ever():
    while True:
        time.sleep(3600)


def start_child():
    """A child that nothing but SIGKILL ends, in the same process group."""
    code = "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    code += "print('up', flush=True)\nwhile True: time.sleep(3600)"
    started = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE)
    started.stdout.readline()
    return started


def serve():
    for line in sys.stdin:
        frame = json.loads(line)
        if frame["type"] == "shutdown" and mode != "stubborn":
            break
        if frame["type"] == "tool_cancel" and mode == "late":
            # Too late: the host waits two seconds for the answer to a call it cancelled.
            time.sleep(1.5)
            text(frame, "late")
            text(frame, "and twice")
        if frame["type"] == "tool_call":
            answer(frame)


def answer(call):
    name = call["name"]
    if name == "pids":
        text(call, json.dumps([os.getpid(), child.pid if child else 0]))
    elif name == "hang":
        if mode == "exit-in-call":
            sys.stderr.write("Traceback: the reason\n")
            sys.exit(int(rest[0]))
        if mode == "signal-in-call":
            os.kill(os.getpid(), int(rest[0]))
        if mode == "close-stdout-in-call":
            os.close(1)
            sleep_for_ever()
        if mode == "close-stdin-in-call":
            os.close(0)
            emit(type="notify", level="info", message="closed")
            sleep_for_ever()
    elif mode == "junk":
        raw("junk before\n\n[1, 2]\n{\"no\": \"type\"}\n{\"type\":\n")
        text(call, "echo")
        raw("junk behind\n")
    elif mode == "twice":
        text(call, "first")
        text(call, "second")
        emit(type="tool_result", id="no such call", content=[])
    elif mode == "oversized" and call["args"].get("bytes"):
        text(call, "x" * call["args"]["bytes"])
    elif mode == "wrong-types":
        emit(type="tool_result", id=call["id"], content="not a list")
    else:
        text(call, "echo")


if mode == "exit-before-hello":
    sys.stderr.write("first line\nModuleNotFoundError: No module named 'frobnicate'\n")
    sys.exit(int(rest[0]))
if mode == "signal-before-hello":
    os.kill(os.getpid(), signal.SIGSEGV)
if mode == "wrong-first":
    emit(type="register_tool", name="echo", schema={})
    sleep_for_ever()
if mode == "bad-hello":
    emit(type="hello", name=5)
    sleep_for_ever()
if mode == "banner":
    raw("Welcome to misbehave 1.0\nloading...\n")
if mode == "stderr-flood":
    for number in range(400):
        sys.stderr.write(("x" * 99 + "\n") * 1000)
    sys.stderr.write("the last line\n")
    sys.stderr.flush()
if mode in ["stubborn", "leaves-child"]:
    child = start_child()
if mode == "stubborn":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)

hello()
if mode == "exit-before-ready":
    sys.exit(3)
register(ready=mode != "never-ready")
if mode == "deaf":
    sleep_for_ever()
serve()
if mode in ["stubborn", "ignores-eof"]:
    sleep_for_ever()
