#!/usr/bin/env python3
"""An extension with the tools of a file, in plain Python, for the tests of what models are offered.

Arguments: its name, and a file with a JSON list of `register_tool` frames without their type. A tool answers with its
name and its arguments as JSON; with `activate` in them it activates those tools, and with `call` it calls that tool
and answers with the host's answer.
"""

import json
import sys

name, tools = sys.argv[1:]
asked = {}  # id of a call_tool -> the call that asked


def emit(**frame):
    print(json.dumps(frame), flush=True)


def answer(call, value, **more):
    block = {"type": "text", "text": json.dumps(value)}
    emit(type="tool_result", id=call["id"], content=[block], **more)


emit(type="hello", name=name, version="1.0.0", capabilities=["tools", "call_tool"])
with open(tools) as file:
    for tool in json.load(file):
        emit(type="register_tool", **tool)
emit(type="ready")
for line in sys.stdin:
    frame = json.loads(line)
    if frame["type"] == "tool_call":
        args = frame["args"]
        if "call" in args:
            asked[frame["id"]] = frame
            emit(type="call_tool", id=frame["id"], name=args["call"], args={}, parent_id=frame["id"])
        elif "activate" in args:
            answer(frame, [frame["name"], args], activate_tools=args["activate"])
        else:
            answer(frame, [frame["name"], args])
    elif frame["type"] == "tool_result":
        answer(asked.pop(frame["id"]), frame)
    elif frame["type"] == "shutdown":
        emit(type="shutdown_ack")
        break
