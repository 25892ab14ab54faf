"""An extension by hand. What its tools do is driven by calls of its other tools, so no test waits for a time.

echo: says `text`. slow: is answered by release, or not at all. steps: tells of progress, then as slow.
release: answers all that is slow. seen: which slow calls began, and which were cancelled. grow: registers one
more tool. note: tells a person. ask: asks one, and says what was answered. pid: the process. token: what it sees of the server's token.
"""

import json
import os
import sys

began, cancelled, waiting = [], [], {}
OBJECT = {"type": "object"}
HEADER = {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}}


def say(**frame):
    print(json.dumps(frame), flush=True)


def answer(call, text):
    say(type="tool_result", id=call, content=[{"type": "text", "text": text}])


say(type="hello", name="driven", version="2.0.0", capabilities=["tools", "tool_cancel", "tool_update", "rpc"])
for name in ("echo", "slow", "steps", "release", "seen", "grow", "pid", "token", "note", "ask"):
    say(type="register_tool", name=name, description="", schema=OBJECT)
say(type="register_tool", name="mirrored", description="", schema=HEADER)
say(type="ready")
for line in sys.stdin:
    frame = json.loads(line)
    kind, call = frame["type"], frame.get("id")
    if kind == "tool_cancel":
        if call in waiting:
            cancelled.append(waiting.pop(call))
        answer(call, "cancelled")
    if kind == "response":
        answer(call, json.dumps(frame.get("result") or frame.get("error")))
    if kind == "shutdown":
        say(type="shutdown_ack")
        break
    if kind != "tool_call":
        continue
    name, args = frame["name"], frame.get("args", {})
    if name in ("slow", "steps"):
        began.append(args.get("text"))
        waiting[call] = args.get("text")
    if name == "steps":
        say(type="tool_update", id=call, seq=1, progress={"done": 1, "total": 2})
    if name == "release":
        for one, text in waiting.items():
            answer(one, f"released {text}")
        waiting.clear()
        answer(call, "done")
    if name == "seen":
        answer(call, json.dumps({"began": began, "cancelled": cancelled}))
    if name == "grow":
        say(type="register_tool", name=args["text"], description="", schema=OBJECT)
        answer(call, "grown")
    if name == "token":
        answer(call, os.environ.get("EXTLINE_MCP_TOKEN") or "none")
    if name == "note":
        say(type="notify", level="info", message=args["text"])
        answer(call, "noted")
    if name == "ask":
        began.append("ask")
        parent = {"kind": "tool_call", "id": call}
        say(type="request", id=call, method="ui.confirm", params={"title": "Ship it?"}, parent=parent)
    if name == "pid":
        answer(call, str(os.getpid()))
    if name in ("echo", "mirrored"):
        answer(call, args.get("text", ""))
