#!/usr/bin/env python3
"""An extension that proposes actions, in plain Python, for the tests of the host.

Its tool `stage` takes {"push": [..params of pending.push..]} and proposes each, then answers with what the host
said, a line each. `pending.apply` does what the label says: "fails" fails, "fails once" the first time, "dies" ends
the process, "silent" answers with nothing. Everything that it is asked is written to `asked` in its data folder.
"""

import json
import os
import sys

failed = set()
waiting = {}
count = 0
labels = {}
asked = None


def emit(**frame):
    os.write(1, (json.dumps(frame) + "\n").encode())


def stage(call):
    lines = []
    pushes = list(call["args"]["push"])

    def go_on():
        global count
        if not pushes:
            emit(type="tool_result", id=call["id"], content=[{"type": "text", "text": "\n".join(lines)}])
            return
        push = pushes.pop(0)
        labels[push.get("handle")] = push.get("label")
        count += 1
        waiting[str(count)] = told
        parent = {"kind": "tool_call", "id": call["id"]}
        emit(type="request", id=str(count), method="pending.push", params=push, parent=parent)

    def told(frame):
        lines.append(frame["error"]["code"] if "error" in frame else frame["result"]["action_id"])
        go_on()

    go_on()


def resolve(frame):
    method, params = frame["method"], frame["params"]
    with open(asked, "a") as log:
        log.write(json.dumps([method, params]) + "\n")
    label = labels[params["handle"]]
    if method == "pending.apply" and label == "dies":
        os._exit(3)
    if method == "pending.apply" and (label == "fails" or label == "fails once" and label not in failed):
        failed.add(label)
        emit(type="response", id=frame["id"], error={"code": "internal", "message": "the disk is full"})
    elif method == "pending.reject" and label == "unclean":
        emit(type="response", id=frame["id"], error={"code": "internal", "message": "no way"})
    elif label == "silent":
        emit(type="response", id=frame["id"], result={})
    else:
        text = {"type": "text", "text": f"{method} of {label}"}
        result = {"content": [text], "structured_content": {"n": 12}, "details": {"of": label}}
        emit(type="response", id=frame["id"], result=result)


emit(type="hello", name=sys.argv[1], version="1", capabilities=["tools", "rpc", "tool_cancel"])
emit(type="register_tool", name=f"stage_{sys.argv[1]}", description="stages", schema={"type": "object"})
emit(type="ready")
for line in sys.stdin:
    frame = json.loads(line)
    if frame["type"] == "hello_ack":
        asked = os.path.join(frame["data_dir"], "asked")
    elif frame["type"] == "tool_call":
        stage(frame)
    elif frame["type"] == "response":
        waiting.pop(frame["id"])(frame)
    elif frame["type"] == "request":
        resolve(frame)
    elif frame["type"] == "shutdown":
        break
