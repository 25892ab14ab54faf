#!/usr/bin/env python3
"""A well-behaved extension in plain Python, for the tests of the host and the command line.

Arguments are names of extra tools to register, so that two of them can be made to conflict; with
`at-once` it registers behind its hello, in the same write, as 250 ms between two writes count as
ready under a zot.
"""

import json
import os
import sys
import threading
import time

write_lock = threading.Lock()
at_once = "at-once" in sys.argv
holds = at_once  # what is said waits in `held` for the next frame
held = ""
cancelled = {}  # id of a running call -> the Event that its tool_cancel sets
notes = {}  # id of a running call -> the file that hears of it
cancels = []  # every tool_cancel that came
events = []  # every event that came
reports = []  # every registered that came
ack = {}

ANY = {"type": "object"}


def emit(**frame):
    global held
    line = json.dumps(frame, ensure_ascii=False) + "\n"
    with write_lock:
        held += line
        if not holds:
            sys.stdout.write(held)
            sys.stdout.flush()
            held = ""


def text(call, text, **more):
    block = {"type": "text", "text": text}
    emit(type="tool_result", id=call["id"], content=[block], **more)


def schema(required=(), **properties):
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def note(call, line):
    with open(notes.get(call["id"], os.devnull), "a") as file:
        file.write(f"{line}\n")


def echo(call):
    text(call, call["args"]["text"])


def fail(call):
    error = {"kind": "permission", "message": "not allowed here", "hint": "ask the owner"}
    text(call, "not allowed here", is_error=True, error=error)


def slow(call):
    """Updates until it is done or cancelled; `note` names a file that hears of both."""
    stop = cancelled[call["id"]]
    steps = call["args"].get("steps", 3)
    for step in range(1, steps + 1):
        progress = {"done": step, "total": steps, "unit": "steps", "message": "working"}
        emit(type="tool_update", id=call["id"], seq=step, progress=progress)
        if stop.wait(call["args"].get("seconds", 0.05)):
            error = {"kind": "cancelled", "message": "cancelled"}
            text(call, "cancelled", is_error=True, error=error)
            return
    text(call, "done")


def picture(call):
    image = {"type": "image", "mime_type": "image/png", "data": "iVBORw0KGgo="}
    block = {"type": "text", "text": "a picture"}
    emit(type="tool_result", id=call["id"], content=[block, image])


def big(call):
    text(call, "x" * call["args"]["bytes"])


def seen(call):
    answer = {"ack": ack, "events": events, "reports": reports, "cancels": cancels}
    emit(
        type="tool_result",
        id=call["id"],
        content=[{"type": "text", "text": json.dumps(answer)}],
        structured_content={**answer, "environment": sorted(os.environ)},
    )


def chatter(call):
    emit(type="notify", level="warn", message="a note")
    emit(type="log", level="info", message="a log line", fields={"n": 1})
    emit(type="submit", text="a prompt")
    emit(type="open_panel", panel={"id": "p"})
    emit(type="from_the_future")
    sys.stderr.write("a line on stderr\n")
    sys.stderr.flush()
    text(call, "said it")


def add_tool(call):
    emit(**{"type": "register_tool", "schema": ANY, "description": "", **call["args"]})
    text(call, "added")


def remove_tool(call):
    emit(type="unregister_tool", name=call["args"]["name"])
    text(call, "removed")


TOOLS = {
    "echo": (echo, schema(["text"], text={"type": "string", "description": "what to say"})),
    "fail": (fail, ANY),
    "slow": (slow, ANY),
    "picture": (picture, ANY),
    "big": (big, schema(["bytes"], bytes={"type": "integer", "minimum": 0})),
    "seen": (seen, ANY),
    "chatter": (chatter, ANY),
    "add_tool": (add_tool, ANY),
    "remove_tool": (remove_tool, ANY),
}
EXTRA = {name: (lambda call: text(call, os.path.basename(os.getcwd())), ANY) for name in sys.argv[1:] if name != "at-once"}

PANEL = {"id": "p", "title": "Status", "lines": ["one", "two"], "footer": "q quits"}
COMMANDS = {
    "Prompt": lambda args: {"action": "prompt", "prompt": "say " + args},
    "insert": lambda args: {"action": "insert", "insert": args},
    "show": lambda args: {"action": "display", "display": "shown: " + args},
    "panel": lambda args: {"action": "open_panel", "open_panel": PANEL},
    "nothing": lambda args: {"action": "noop"},
    "refuse": lambda args: {"action": "display", "display": "no", "error": "I will not"},
    "odd": lambda args: {"action": "frobnicate"},
}


def register():
    global holds
    holds = True
    for name, (_, args) in {**TOOLS, **EXTRA}.items():
        emit(type="register_tool", name=name, description=f"the tool {name}", schema=args)
    for name in COMMANDS:
        emit(type="register_command", name=name, description=f"the command {name}", usage="[TEXT]")
    emit(type="subscribe", events=["session_start", "turn_start"], guards=["tool_call"])
    holds = False
    emit(type="ready")


def handle(frame):
    kind = frame["type"]
    if kind == "hello_ack":
        ack.update(frame)
        if not at_once:
            register()
    elif kind == "tool_call":
        handler = {**TOOLS, **EXTRA}.get(frame["name"], (echo,))[0]
        # Here, as the cancel may be read before the thread does anything.
        cancelled[frame["id"]] = threading.Event()
        if handler is slow:
            notes[frame["id"]] = frame["args"].get("note", os.devnull)
            note(frame, os.getpid())
        threading.Thread(target=handler, args=(frame,), daemon=True).start()
    elif kind == "tool_cancel":
        cancels.append(frame)
        note(frame, "cancelled")
        cancelled.setdefault(frame["id"], threading.Event()).set()
    elif kind == "command_invoked":
        response = COMMANDS[frame["name"]](frame.get("args", ""))
        emit(type="command_response", id=frame["id"], **response)
    elif kind == "event":
        events.append(frame)
    elif kind == "event_intercept":
        emit(type="event_intercept_response", id=frame["id"])
    elif kind == "registered":
        reports.append(frame)
    elif kind == "shutdown":
        emit(type="shutdown_ack")
        return False
    return True


emit(
    type="hello",
    name="behave",
    version="1.2.3",
    capabilities=["commands", "tools", "events", "tool_cancel", "tool_update", "tool_registry",
                  "registration_report", "log"],
)
if at_once:
    register()
for line in sys.stdin:
    if not handle(json.loads(line)):
        break
