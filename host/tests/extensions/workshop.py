#!/usr/bin/env python3
"""An extension whose tools do what a call says, in plain Python, for the tests of the host.

Argument: a JSON object of tools by name: what each registers beside its name. It has the command `tidy`, which
does nothing, `draw`, which opens a panel, and the method `touch`, which does nothing. Every tool does what its arguments say, in this order:

    write     {path: text} writes these files; of null the file is removed
    call      {"name", "args"} calls a tool first
    hang      never answers
    fail      {"kind", "message", ...} fails with that error
    text      answers with that text; absent: `run N`, the number of this run

and its answer has the arguments `effects`, which may be JSON in a text, and `trust` as they are. Further arguments say nothing.
"""

import json
import os
import sys

runs = 0
waiting = {}  # id of a call_tool -> the call that waits for it


def emit(**frame):
    os.write(1, (json.dumps(frame) + "\n").encode())


def run(call):
    global runs
    runs += 1
    args = call["args"]
    for path, text in args.get("write", {}).items():
        if text is None:
            os.remove(path)
            continue
        with open(path, "w", newline="") as file:
            file.write(text)
    if "call" in args:
        waiting[call["id"]] = call
        emit(type="call_tool", id=call["id"], parent_id=call["id"], **args["call"])
    elif "hang" not in args:
        answer(call)


def answer(call):
    args = call["args"]
    more = {name: args[name] for name in ("effects", "trust") if name in args}
    if isinstance(more.get("effects"), str):
        more["effects"] = json.loads(more["effects"])
    if "fail" in args:
        more |= {"is_error": True, "error": args["fail"]}
    text = args["fail"]["message"] if "fail" in args else args.get("text", f"run {runs}")
    emit(type="tool_result", id=call["id"], content=[{"type": "text", "text": text}], **more)


emit(type="hello", name="workshop", version="1.0.0", capabilities=["tools", "commands", "call_tool", "panels", "rpc"],
     methods=["touch"])
for tool, more in json.loads(sys.argv[1]).items():
    emit(**{"type": "register_tool", "name": tool, "schema": {"type": "object"}, **more})
emit(type="register_command", name="tidy")
emit(type="register_command", name="draw")
emit(type="ready")
for line in sys.stdin:
    frame = json.loads(line)
    if frame["type"] == "tool_call":
        run(frame)
    elif frame["type"] == "call_tool_result" or frame["type"] == "tool_result":
        answer(waiting.pop(frame["id"]))
    elif frame["type"] == "request":
        emit(type="response", id=frame["id"], result=None)
    elif frame["type"] == "command_invoked" and frame["name"] == "draw":
        emit(type="command_response", id=frame["id"], action="open_panel", open_panel={"id": "p", "title": "t"})
    elif frame["type"] == "command_invoked":
        emit(type="command_response", id=frame["id"], action="noop")
    elif frame["type"] == "shutdown":
        break
