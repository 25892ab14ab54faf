#!/usr/bin/env python3
"""An extension that answers several calls at once, some of them badly, and that hears events.

The tool `answer` waits until `of` calls of it have come, then answers them in the order of their
`place`, each as its `how` says: `well`, `cut` (JSON that ends too early), `bad` (no JSON behind the
id), `long` (5 MB), `deep` (200 lists in one another) or `wrong` (content that is no list). Lines of
junk stand between the answers. The tool `heard` answers with the events and calls that came, in
order.
"""

import json
import sys

held = []
heard = []


def write(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def result(call, content):
    write(json.dumps({"type": "tool_result", "id": call["id"], "content": content}))


def answer(call):
    how = call["args"]["how"]
    head = f'{{"type":"tool_result","id":"{call["id"]}","content":'
    text = [{"type": "text", "text": how}]
    if how == "cut":
        write(head + '[{"type":"text"')
    elif how == "bad":
        write(head + "[}")
    elif how == "long":
        result(call, [{"type": "text", "text": "x" * 5_000_000}])
    elif how == "deep":
        write(head + "[]" + ',"details":' + "[" * 200 + "]" * 200 + "}")
    elif how == "wrong":
        result(call, "no list")
    else:
        result(call, text)


write('{"type":"hello","name":"mixed","capabilities":["tools","events"]}')
for tool in ["answer", "heard"]:
    write(json.dumps({"type": "register_tool", "name": tool, "schema": {"type": "object"}}))
events = ["turn_start", "assistant_message", "tool_call", "turn_end"]
write(json.dumps({"type": "subscribe", "events": events}))
write('{"type":"ready"}')
for line in sys.stdin:
    frame = json.loads(line)
    if frame["type"] == "event":
        heard.append([frame["event"], frame.get("step")])
    elif frame["type"] == "tool_call" and frame["name"] == "heard":
        result(frame, [{"type": "text", "text": json.dumps(heard)}])
    elif frame["type"] == "tool_call":
        heard.append(["call", frame["args"].get("place")])
        held.append(frame)
        if len(held) == frame["args"]["of"]:
            for call in sorted(held, key=lambda call: call["args"]["place"]):
                write("junk between frames")
                answer(call)
            held.clear()
    elif frame["type"] == "shutdown":
        break
