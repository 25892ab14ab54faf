"""Tells its configuration: at the start, and as it is now. With `described` it has a tool of that name too."""

import json
import sys


def write(**frame):
    print(json.dumps(frame, separators=(",", ":")), flush=True)


def tool(name, **properties):
    schema = {"type": "object", **({"properties": properties} if properties else {})}
    write(type="register_tool", name=name, description=name, schema=schema)


start = now = None
# With `plain` it names no capability, as an extension for zot.
capabilities = [] if "plain" in sys.argv else ["config"]
write(type="hello", name="configured", version="1.0.0", capabilities=capabilities)
for line in sys.stdin:
    frame = json.loads(line)
    kind = frame["type"]
    if kind == "hello_ack":
        start = now = frame.get("config")
        tool("config")
        tool("sleep")
        if "described" in sys.argv:
            tool("described", city={"type": "string", "description": "City"})
        write(type="ready")
    elif kind == "event" and frame["event"] == "config_changed":
        now = frame["config"]
    elif kind == "tool_call" and frame["name"] == "config":
        text = json.dumps({"start": start, "now": now})
        write(type="tool_result", id=frame["id"], content=[{"type": "text", "text": text}])
    elif kind == "shutdown":
        write(type="shutdown_ack")
        break
