#!/usr/bin/env python3
"""An extension that serves methods and asks the host for its own, for the tests of the host.

It serves `echo` (answers with its params), `parts` (as many parts as `params`, then their number),
`hang` (answers when it is cancelled), `fail` (an error), `gap` (parts 1 and 3), `exit`, and
`cancels` (how many cancels came). The tool `ask` sends the frames in `frames` as they are and
answers with the `count` response frames that come; `parent` stands for the id of the call itself,
and the text `"$CALL"` in a frame too.
"""

import json
import sys

hanging = []
cancels = 0
waiting = None  # the tool call `ask`, the answers so far, and how many there will be


def emit(**frame):
    sys.stdout.write(json.dumps(frame) + "\n")
    sys.stdout.flush()


def respond(request, **answer):
    emit(type="response", id=request["id"], **answer)


def serve(request):
    method, params = request["method"], request.get("params")
    if method == "echo":
        respond(request, result=params)
    elif method == "parts":
        for seq in range(1, params + 1):
            emit(type="response_part", id=request["id"], seq=seq, data=seq * 10)
        respond(request, result=params)
    elif method == "gap":
        for seq in [1, 3]:
            emit(type="response_part", id=request["id"], seq=seq, data=seq)
        respond(request, result=None)
    elif method == "hang":
        hanging.append(request)
    elif method == "fail":
        respond(request, error={"code": "conflict", "message": "not now", "data": {"n": 1}})
    elif method == "cancels":
        respond(request, result=cancels)
    elif method == "exit":
        if params is not None:
            print(params, file=sys.stderr, flush=True)
        sys.exit(3)


def gather(frame):
    global waiting
    if waiting is None:
        return
    call, answers, count = waiting
    answers.append(frame)
    if len(answers) == count:
        text = {"type": "text", "text": json.dumps(answers)}
        waiting = None
        emit(type="tool_result", id=call["id"], content=[text])


emit(type="hello", name="methods", version="1.0.0", capabilities=["tools", "tool_cancel", "rpc"],
     methods=["echo", "parts", "gap", "hang", "fail", "cancels", "exit"])
for tool in ["ask", "die"]:
    emit(type="register_tool", name=tool, schema={"type": "object"})
emit(type="ready")
for line in sys.stdin:
    frame = json.loads(line)
    kind = frame["type"]
    if kind == "request":
        serve(frame)
    elif kind == "cancel":
        cancels += 1
        for request in [request for request in hanging if request["id"] == frame["id"]]:
            hanging.remove(request)
            respond(request, error={"code": "cancelled", "message": "cancelled"})
    elif kind == "tool_call":
        args = json.loads(json.dumps(frame["args"]).replace("$CALL", frame["id"]))
        if args.get("count"):
            waiting = (frame, [], args["count"])
        for wanted in args["frames"]:
            emit(**wanted)
        if frame["name"] == "die":
            sys.exit(3)
    elif kind in ["response", "response_part"]:
        gather(frame)
    elif kind == "tool_cancel":
        emit(type="tool_result", id=frame["id"], content=[], is_error=True)
    elif kind == "shutdown":
        break
