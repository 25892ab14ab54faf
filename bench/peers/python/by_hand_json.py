"""What an author would write by hand: lines from stdin, json, lines to stdout."""

import json
import sys


def say(frame):
    sys.stdout.write(json.dumps(frame) + "\n")
    sys.stdout.flush()


say({"type": "hello", "name": "echo", "version": "1.0.0", "capabilities": ["tools"]})
say({
    "type": "register_tool",
    "name": "echo",
    "description": "Answers with the text.",
    "schema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
})
say({"type": "ready"})

for line in sys.stdin:
    frame = json.loads(line)
    if frame["type"] == "tool_call":
        content = [{"type": "text", "text": frame["args"]["text"]}]
        say({"type": "tool_result", "id": frame["id"], "content": content})
    elif frame["type"] == "shutdown":
        say({"type": "shutdown_ack"})
        break
