#!/usr/bin/env python3
"""An extension that misbehaves on purpose. Its arguments are switches that say how; a number belongs
to the switch before it.

If it comes that far it has three tools: `echo` answers, `hang` never does, and `pids` tells the
process ids of the extension and of its children.
"""

import json
import os
import signal
import subprocess
import sys
import time

switches = sys.argv[1:]
children = []


def on(*names):
    return any(name in switches for name in names)


def number_of(switch):
    return int(switches[switches.index(switch) + 1])


def raw(text):
    sys.stdout.write(text)
    sys.stdout.flush()


def emit(**frame):
    raw(line_of(**frame))


def line_of(**frame):
    return json.dumps(frame) + "\n"


def text(call, text):
    emit(type="tool_result", id=call["id"], content=[{"type": "text", "text": text}])


def hello():
    sdk = {"sdk": {"name": "extline", "version": "0.1.0", "language": "python"}} if on("by-sdk") else {}
    capabilities = ["tools", "tool_cancel"]
    return line_of(type="hello", name="misbehave", version="1.0.0", capabilities=capabilities, **sdk)


def registrations():
    tools = [
        line_of(type="register_tool", name=name, description=name, schema={"type": "object"})
        for name in ["echo", "hang", "pids"]
    ]
    command = line_of(type="register_command", name="hang", description="never answers")
    ready = "" if on("never-ready") else line_of(type="ready")
    return "".join(tools) + command + ready


def hang():
    """Hangs; with `tell FILE` a file tells of it first."""
    if on("tell"):
        with open(switches[switches.index("tell") + 1], "w") as file:
            file.write(f"{os.getpid()}\n")
    sleep_for_ever()


def sleep_for_ever():
    while True:
        time.sleep(3600)


def start_child(**options):
    """A child that nothing but SIGKILL ends, in the same process group if not told otherwise."""
    code = "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    code += "print('up', flush=True)\nwhile True: time.sleep(3600)"
    started = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, **options)
    started.stdout.readline()
    children.append(started)


def serve():
    for line in sys.stdin:
        frame = json.loads(line)
        if frame["type"] == "shutdown" and not on("stubborn"):
            break
        if frame["type"] == "tool_cancel" and on("late"):
            # Too late: the host waits two seconds for the answer to a call it cancelled.
            time.sleep(1.5)
            text(frame, "late")
            text(frame, "and twice")
        if frame["type"] == "tool_call":
            answer(frame)


def answer(call):
    name = call["name"]
    if name == "pids":
        text(call, json.dumps([os.getpid()] + [child.pid for child in children]))
    elif name == "hang":
        if on("exit-in-call"):
            sys.stderr.write("Traceback: the reason\n")
            sys.exit(number_of("exit-in-call"))
        if on("signal-in-call"):
            os.kill(os.getpid(), number_of("signal-in-call"))
        if on("flood-junk"):
            while True:
                raw("DEBUG entering the loop\n" * 100)
        if on("flood-notes"):
            while True:
                emit(type="notify", level="info", message="again")
        if on("flood-bytes"):
            # Longer than a line may be, and never an end.
            while True:
                raw("x" * 65536)
        if on("flood-stderr"):
            text(call, "from now on")
            while True:
                sys.stderr.write("x" * 65535 + "\n")
        if on("both-full"):
            # It reads nothing while it writes more than any pipe holds.
            for number in range(40):
                emit(type="tool_update", id=call["id"], seq=number, message="x" * 65536)
            text(call, "written")
        if on("close-stdout-in-call"):
            os.close(1)
            sleep_for_ever()
        if on("close-stdin-in-call"):
            os.close(0)
            emit(type="notify", level="info", message="closed")
            sleep_for_ever()
    elif on("junk"):
        raw("junk before\n\n[1, 2]\n{\"no\": \"type\"}\n{\"type\":\n")
        text(call, "echo")
        raw("junk behind\n")
    elif on("twice"):
        text(call, "first")
        text(call, "second")
        emit(type="tool_result", id="no such call", content=[])
    elif on("oversized") and call["args"].get("bytes"):
        text(call, "x" * call["args"]["bytes"])
    elif on("wrong-types"):
        emit(type="tool_result", id=call["id"], content="not a list")
    else:
        text(call, "echo")


if on("exit-before-hello"):
    sys.stderr.write("first line\nModuleNotFoundError: No module named 'frobnicate'\n")
    sys.exit(number_of("exit-before-hello"))
if on("signal-before-hello"):
    os.kill(os.getpid(), signal.SIGSEGV)
if on("wrong-first"):
    emit(type="register_tool", name="echo", schema={})
    sleep_for_ever()
if on("bad-hello"):
    emit(type="hello", name=5)
    sleep_for_ever()
if on("banner"):
    raw("Welcome to misbehave 1.0\nloading...\n")
if on("stderr-flood"):
    for number in range(400):
        sys.stderr.write(("x" * 99 + "\n") * 1000)
    sys.stderr.write("the last line\n")
    sys.stderr.flush()
if on("stubborn", "leaves-child"):
    start_child()
if on("leaves-stray"):
    start_child(start_new_session=True)
if on("stubborn"):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
if on("hang-before-hello"):
    hang()
if on("hangs-second-time"):
    marker = switches[switches.index("hangs-second-time") + 1]
    if os.path.exists(marker):
        hang()
    open(marker, "w").close()

if on("exit-before-ready", "hang-before-ready"):
    raw(hello())
    if on("exit-before-ready"):
        sys.exit(3)
    hang()
# In one write: 250 ms between two of them count as ready under a zot.
raw(hello() + registrations())
if on("deaf"):
    sleep_for_ever()
serve()
if on("stubborn", "ignores-eof"):
    sleep_for_ever()
