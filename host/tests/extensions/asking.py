#!/usr/bin/env python3
"""An extension that asks the host on behalf of its calls, in plain Python, for the tests of the host.

Arguments: its name, and the names of its tools. Every tool does what its arguments say:

    ask     asks for that method, and answers with the result as JSON, or with the error's code
    call    {"name", "args"} calls a tool and answers with its text
    hang    never answers
    exit    asks for that method and ends with status 3

It guards `tool_call` when it is named `guard`: a call whose arguments have `guarded` may run when the
host's answer to that method is true, one with `command` is decided by a program, and one with `checked`, {"name", "args"}, when that tool answers
`true`.
"""

import json
import os
import sys

name, tools = sys.argv[1], sys.argv[2:]
waiting = {}  # (type, id) of what was asked -> what to do with the answer
last = 0


def emit(**frame):
    os.write(1, (json.dumps(frame) + "\n").encode())


def ask(method, kind, call, then, **more):
    global last
    last += 1
    waiting["response", str(last)] = then
    emit(type="request", id=str(last), method=method, parent={"kind": kind, "id": call["id"]}, **more)


def call_tool(wanted, then, **parent):
    global last
    last += 1
    waiting["tool_result", str(last)] = then
    emit(type="call_tool", id=str(last), **parent, **wanted)


def answer(call, text):
    emit(type="tool_result", id=call["id"], content=[{"type": "text", "text": text}])


def run(call):
    args = call["args"]
    if "ask" in args:
        ask(args["ask"], "tool_call", call, lambda frame: answer(call, told(frame)))
    elif "exit" in args:
        ask(args["exit"], "tool_call", call, None)
        sys.exit(3)
    elif "call" in args:
        call_tool(args["call"], lambda frame: answer(call, text_of(frame)), parent_id=call["id"])
    elif "hang" not in args:
        answer(call, "ran")


def text_of(frame):
    return frame["content"][0]["text"]


def told(frame):
    return frame["error"]["code"] if "error" in frame else json.dumps(frame["result"])


def decide(intercept):
    def decided(frame):
        more = {} if frame.get("result") is True else {"block": True, "reason": told(frame)}
        emit(type="event_intercept_response", id=intercept["id"], **more)

    def checked(frame):
        more = {} if text_of(frame) == "true" else {"block": True, "reason": text_of(frame)}
        emit(type="event_intercept_response", id=intercept["id"], **more)

    if "checked" in intercept["tool_args"]:
        parent = {"kind": "intercept", "id": intercept["id"]}
        call_tool(intercept["tool_args"]["checked"], checked, parent=parent)
    elif "command" in intercept["tool_args"]:
        params = {"command": "echo", "args": [intercept["tool_name"]]}
        ask("exec.run", "intercept", intercept, decided, params=params)
    elif "guarded" in intercept["tool_args"]:
        ask(intercept["tool_args"]["guarded"], "intercept", intercept, decided)
    else:
        emit(type="event_intercept_response", id=intercept["id"])


emit(type="hello", name=name, version="1.0.0",
     capabilities=["tools", "events", "tool_cancel", "call_tool", "rpc"])
for tool in tools:
    emit(type="register_tool", name=tool, schema={"type": "object"})
if name == "guard":
    emit(type="subscribe", guards=["tool_call"])
emit(type="ready")
for line in sys.stdin:
    frame = json.loads(line)
    if frame["type"] == "tool_call":
        run(frame)
    elif frame["type"] == "event_intercept":
        decide(frame)
    elif frame["type"] in ["response", "tool_result"]:
        waiting.pop((frame["type"], frame["id"]))(frame)
    elif frame["type"] == "shutdown":
        break
