#!/usr/bin/env python3
"""An extension whose tools call other tools, in plain Python, for the tests of the host.

Arguments: its name, a journal that several of them may share, and the names of its tools; a name
with `:sequential` behind it is registered so, and `event:NAME` is no tool, but has the extension told of
that event. Every tool does what its arguments say:

    text      answers with that text
    size      answers with that many characters
    value     answers with that value, its text and the same as details
    fail      fails with that text, as its error says too
    hang      answers only when it is cancelled; a text that stands in the journal as `hangs TEXT`
    call      {"name", "args"} calls a tool and answers with the host's answer as JSON; beside it
              `parent` may name another parent, or be null for none
    give_up   calls like `call`, takes the call back, and answers with the host's answer
    leave     calls like `call`, answers at once, and journals the host's answer as `left`
    die       calls like `call` and ends with status 3
    flood     calls the tool of that name so often, without a parent and without waiting

The journal gets a JSON line for each thing that happened, as [name, what, detail].
"""

import json
import os
import sys

name, journal, tools = sys.argv[1], sys.argv[2], sys.argv[3:]
calls = {}  # id of a call_tool -> what to do with its answer
hanging = set()
last = 0


def emit(**frame):
    os.write(1, (json.dumps(frame) + "\n").encode())


def note(what, detail=None):
    with open(journal, "a") as file:
        file.write(json.dumps([name, what, detail]) + "\n")


def answer(call, text, **more):
    emit(type="tool_result", id=call["id"], content=[{"type": "text", "text": text}], **more)


def call_tool(call, wanted, then):
    global last
    last += 1
    parent = call["args"].get("parent", call.get("id"))
    more = {} if parent is None else {"parent_id": parent}
    calls[str(last)] = then
    emit(type="call_tool", id=str(last), name=wanted["name"], args=wanted["args"], **more)
    return str(last)


def run(call):
    args = call["args"]
    to_caller = lambda frame: answer(call, json.dumps(frame))
    if "call" in args:
        call_tool(call, args["call"], to_caller)
    elif "give_up" in args:
        child = call_tool(call, args["give_up"], to_caller)
        emit(type="call_tool_cancel", id=child)
    elif "leave" in args:
        call_tool(call, args["leave"], lambda frame: note("left", frame))
        answer(call, "gone")
    elif "die" in args:
        call_tool(call, args["die"], to_caller)
        sys.exit(3)
    elif "flood" in args:
        refused = []

        def count(frame):
            if frame.get("is_error"):
                refused.append(frame)
                if len(refused) == 1:
                    answer(call, json.dumps(refused[0]))

        for _ in range(args["times"]):
            wanted = {"name": args["flood"], "args": {"hang": "flooded"}}
            call_tool({"args": {}}, wanted, count)
    elif "value" in args:
        value = args["value"]
        effects = [{"kind": "file", "op": "read", "path": "notes.md"}]
        answer(call, json.dumps(value), structured_content=value, details=value, effects=effects)
    elif "fail" in args:
        error = {"kind": "transient", "message": args["fail"], "hint": args["fail"], "retry_after_ms": 5}
        answer(call, args["fail"], is_error=True, error=error)
    elif "hang" in args:
        hanging.add(call["id"])
        note("hangs " + args["hang"])
    else:
        answer(call, args.get("text", "x" * args.get("size", 0)))


emit(type="hello", name=name, version="1.0.0", capabilities=["tools", "tool_cancel", "call_tool"])
events = [tool.removeprefix("event:") for tool in tools if tool.startswith("event:")]
for tool in tools:
    if tool.startswith("event:"):
        continue
    tool, _, execution = tool.partition(":")
    more = {"execution": execution} if execution else {}
    emit(type="register_tool", name=tool, schema={"type": "object"}, **more)
if events:
    emit(type="subscribe", events=events)
emit(type="ready")
for line in sys.stdin:
    frame = json.loads(line)
    if frame["type"] == "tool_call":
        note("runs " + frame["name"], frame["args"])
        run(frame)
    elif frame["type"] == "tool_result":
        calls.pop(frame["id"])(frame)
    elif frame["type"] == "tool_cancel":
        note("cancelled", frame.get("reason"))
        if frame["id"] in hanging:
            answer(frame, "cancelled", is_error=True,
                   error={"kind": "cancelled", "message": "cancelled"})
    elif frame["type"] == "event":
        note("hears {event} {tool_name}".format(**frame))
    elif frame["type"] == "shutdown":
        break
