"""A tool in the way most people write it: a loop over sys.stdin."""
import json
import sys


def emit(frame):
    sys.stdout.write(json.dumps(frame) + "\n")
    sys.stdout.flush()


emit({"type": "hello", "name": "python-stdin", "version": "1.0.0", "capabilities": ["tools"]})
emit({
    "type": "register_tool",
    "name": "echo",
    "description": "Gives the text back.",
    "schema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
})
emit({"type": "ready"})

for line in sys.stdin:
    msg = json.loads(line)
    if msg["type"] == "tool_call":
        if msg["name"] == "echo":
            emit({"type": "tool_result", "id": msg["id"],
                  "content": [{"type": "text", "text": msg["args"]["text"]}]})
        else:
            emit({"type": "tool_result", "id": msg["id"], "is_error": True,
                  "content": [{"type": "text", "text": "unknown tool " + msg["name"]}]})
    elif msg["type"] == "shutdown":
        emit({"type": "shutdown_ack"})
        break
