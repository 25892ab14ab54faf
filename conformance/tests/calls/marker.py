"""Writes a line into the file MARKER for each tool and each command that runs.

`marker.py MARKER [careless-tools] [careless-commands]`: a careless one runs whatever name it is
called by.
"""
import json
import sys

MARKER, *HOW = sys.argv[1:]
TOOLS = ["delete_everything", "say"]
COMMANDS = ["deploy"]


def emit(**frame):
    print(json.dumps(frame), flush=True)


def mark(what):
    with open(MARKER, "a") as marker:
        marker.write(what + "\n")


def on_tool_call(frame):
    name, call = frame.get("name"), frame.get("id")
    if not isinstance(call, str):
        return
    if name not in TOOLS and "careless-tools" not in HOW:
        content = [{"type": "text", "text": f"unknown tool {name}"}]
        error = {"kind": "not_found", "message": f"unknown tool {name}"}
        emit(type="tool_result", id=call, content=content, is_error=True, error=error)
        return
    mark(f"tool {name} {json.dumps(frame.get('args'))}")
    emit(type="tool_result", id=call, content=[{"type": "text", "text": "done"}])


def on_command_invoked(frame):
    name, call = frame.get("name"), frame.get("id")
    if name not in COMMANDS and "careless-commands" not in HOW:
        emit(type="command_response", id=call, action="noop", error=f"unknown command {name}")
        return
    mark(f"command {name} {frame.get('args', '')}")
    emit(type="command_response", id=call, action="noop")


def on_event_intercept(frame):
    emit(type="event_intercept_response", id=frame["id"])


def on_hello_ack(_):
    for name in COMMANDS:
        emit(type="register_command", name=name, description="does something to the world")
    for name in TOOLS:
        emit(type="register_tool", name=name, description="does something to the world",
             schema={"type": "object"})
    emit(type="subscribe", events=["turn_start"], intercept=["tool_call"])
    emit(type="ready")


def on_shutdown(_):
    emit(type="shutdown_ack")
    sys.exit(0)


def main():
    emit(type="hello", name="marker", version="1.0.0",
         capabilities=["commands", "tools", "events", "tool_cancel"])
    acknowledged = False
    for line in sys.stdin.buffer:
        try:
            frame = json.loads(line.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            continue
        kind = frame.get("type") if isinstance(frame, dict) else None
        handler = isinstance(kind, str) and globals().get("on_" + kind)
        if handler and not (kind == "hello_ack" and acknowledged):
            acknowledged = acknowledged or kind == "hello_ack"
            handler(frame)


main()
