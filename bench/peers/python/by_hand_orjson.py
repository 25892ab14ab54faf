"""The same with orjson, which reads and writes bytes."""

import sys

import orjson

out = sys.stdout.buffer


def say(frame):
    out.write(orjson.dumps(frame, option=orjson.OPT_APPEND_NEWLINE))
    out.flush()


say({"type": "hello", "name": "echo", "version": "1.0.0", "capabilities": ["tools"]})
say({
    "type": "register_tool",
    "name": "echo",
    "description": "Answers with the text.",
    "schema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
})
say({"type": "ready"})

for line in sys.stdin.buffer:
    frame = orjson.loads(line)
    if frame["type"] == "tool_call":
        content = [{"type": "text", "text": frame["args"]["text"]}]
        say({"type": "tool_result", "id": frame["id"], "content": content})
    elif frame["type"] == "shutdown":
        say({"type": "shutdown_ack"})
        break
