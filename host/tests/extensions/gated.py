#!/usr/bin/env python3
"""An extension whose tools need an approval, in plain Python, for the tests of the host.

Arguments: its name, and a JSON object of tools by name: what each registers beside its name. A tool
does what its arguments say:

    call      {"name", "args"} calls a tool and answers with its text
    register  {"name", ...} registers that tool anew, and answers `registered` when the host has taken it
    hang      never answers
    told      answers with the events it was told so far, as JSON

and else answers `ran` and its arguments as they came. Asked by tool.approval about a call it answers with
the argument `advice`, or with an error where there is none, and with `silence` not at all.
"""

import json
import os
import sys

name, tools = sys.argv[1], json.loads(sys.argv[2])
calls = {}  # id of a call_tool -> the call that waits for it
registering = []
told = []


def emit(**frame):
    os.write(1, (json.dumps(frame, separators=(",", ":")) + "\n").encode())


def register(tool, **more):
    emit(**{"type": "register_tool", "name": tool, "schema": {"type": "object"}, **more})


def answer(call, text):
    emit(type="tool_result", id=call["id"], content=[{"type": "text", "text": text}])


def run(call, line):
    args = call["args"]
    if "call" in args:
        calls[call["id"]] = call
        emit(type="call_tool", id=call["id"], parent_id=call["id"], **args["call"])
    elif "register" in args:
        registering.append(call)
        register(args["register"].pop("name"), **args["register"])
    elif "told" in args:
        answer(call, json.dumps(told))
    elif "hang" not in args:
        answer(call, "ran " + line[line.index('"args":') + 7 :].split(',"deadline_ms"')[0].rstrip("}\n") + "}")


def advise(request):
    asked = request["params"]
    args = asked["args"]
    if "silence" in args:
        return
    if "advice" in args:
        emit(type="response", id=request["id"], result=args["advice"])
    else:
        message = f"{asked['tool']} knows nothing of it"
        emit(type="response", id=request["id"], error={"code": "internal", "message": message})


emit(type="hello", name=name, version="1.0.0",
     capabilities=["tools", "events", "call_tool", "rpc", "tool_registry", "registration_report"],
     methods=["tool.approval"])
for tool, more in tools.items():
    register(tool, **more)
emit(type="subscribe", events=["tool_confirmation_requested", "permission_decision"])
emit(type="ready")
for line in sys.stdin:
    frame = json.loads(line)
    if frame["type"] == "tool_call":
        run(frame, line)
    elif frame["type"] == "tool_result":
        answer(calls.pop(frame["id"]), frame["content"][0]["text"])
    elif frame["type"] == "request":
        advise(frame)
    elif frame["type"] == "registered" and registering:
        answer(registering.pop(), "registered")
    elif frame["type"] == "event":
        told.append({key: value for key, value in frame.items() if key not in ["type", "tool_id"]})
    elif frame["type"] == "shutdown":
        break
