#!/usr/bin/env python3
"""An extension without an SDK that keeps values with its host, for the tests of the host.

Its argument is a JSON object: `name`; `version`, that of its slots; `migrate`, what it makes of old values: `add`
(each one more), `fail`, `ask` (it asks for a value meanwhile), `much` (more than a value may have); `acks`, a file to
which it adds a byte for each increment that the host has answered. Tools: `ask {method, params}` answers with the
response, `count {scope, times}` adds 1 to `n` by compare and set and answers with how often that was in vain,
`seen` with the events and what it was asked to migrate.
"""

import json
import os
import sys

options = json.loads(sys.argv[1])
version, kind = options.get("version"), options.get("migrate")
acks = os.open(options["acks"], os.O_WRONLY | os.O_APPEND | os.O_CREAT) if "acks" in options else None
events, migrations, waiting, asked = [], [], [], 0


def emit(**frame):
    sys.stdout.write(json.dumps(frame) + "\n")
    sys.stdout.flush()


def migrate(frame):
    params = frame["params"]
    migrations.append(params)
    if kind == "fail":
        return {"error": {"code": "internal", "message": "no idea how"}}
    if kind == "ask":
        parent = {"kind": "request", "id": frame["id"]}
        answer = request("state.get", {"scope": "global", "key": "n"}, parent)
        return {"error": {"code": "internal", "message": answer["error"]["message"]}}
    if kind == "much":
        return {"result": {"data": {"n": "x" * 70000}}}
    return {"result": {"data": {key: value + 1 for key, value in params["data"].items()}}}


def handle(frame):
    if frame["type"] == "request":
        emit(type="response", id=frame["id"], **migrate(frame))
    elif frame["type"] == "event":
        events.append(frame)
    elif frame["type"] == "tool_call":
        waiting.append(frame)
    elif frame["type"] == "shutdown":
        sys.exit()


def request(method, params, parent=None):
    global asked
    asked += 1
    name = f"k{asked}"
    if version is not None and method.startswith("state."):
        params = {**params, "slot_version": version}
    emit(type="request", id=name, method=method, params=params, **({"parent": parent} if parent else {}))
    while True:
        frame = json.loads(sys.stdin.readline() or sys.exit())
        if frame["type"] == "response" and frame["id"] == name:
            return frame
        handle(frame)


def count(scope, times):
    in_vain = 0
    while times:
        found = request("state.get", {"scope": scope, "key": "n"})
        found = found.get("result") or sys.exit(f"get: {found}")
        value = {"value": found.get("value", 0) + 1, "revision": found["revision"]}
        done = request("state.set", {"scope": scope, "key": "n", **value})
        if "result" in done:
            times -= 1
            if acks is not None:
                os.write(acks, b".")
        elif done["error"]["code"] == "conflict":
            in_vain += 1
        else:
            sys.exit(f"set: {done}")
    return in_vain


def call(frame):
    args = frame["args"]
    if frame["name"] == "ask":
        answer = request(args["method"], args["params"])
    elif frame["name"] == "count":
        answer = count(args["scope"], args["times"])
    else:
        answer = {"events": events, "migrations": migrations}
    emit(type="tool_result", id=frame["id"], content=[{"type": "text", "text": json.dumps(answer)}])


methods = {"methods": ["state.migrate"]} if kind else {}
emit(type="hello", name=options["name"], version="1.0.0", capabilities=["tools", "events", "rpc"], **methods)
for tool in ["ask", "count", "seen"]:
    emit(type="register_tool", name=f"{options['name']}_{tool}", schema={"type": "object"}, timeout_ms=600000)
emit(type="subscribe", events=["session_start", "session_end", "session_switch", "session_branch", "session_tree"])
emit(type="ready")
while line := sys.stdin.readline():
    handle(json.loads(line))
    while waiting:
        frame = waiting.pop(0)
        frame["name"] = frame["name"].removeprefix(options["name"] + "_")
        call(frame)
