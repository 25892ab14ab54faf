#!/usr/bin/env python3
"""An extension with panels, in plain Python, for the tests of the host.

Its name is the first argument. The tool `emit` writes the frames in `frames`, then answers with the
panel frames that came so far and forgets them. The command `open` opens the panel in its arguments,
which are JSON.
"""

import json
import sys

name = sys.argv[1]
came = []


def emit(**frame):
    sys.stdout.write(json.dumps(frame) + "\n")
    sys.stdout.flush()


emit(type="hello", name=name, version="1.0.0", capabilities=["commands", "tools", "panels"])
emit(type="register_tool", name="emit_" + name, schema={"type": "object"})
emit(type="register_command", name="open")
emit(type="ready")
for line in sys.stdin:
    frame = json.loads(line)
    if frame["type"] == "tool_call":
        if frame["args"].get("exit"):
            sys.exit(3)
        for wanted in frame["args"].get("frames", []):
            emit(**wanted)
        emit(type="tool_result", id=frame["id"],
             content=[{"type": "text", "text": json.dumps(came)}])
        came.clear()
    elif frame["type"] == "command_invoked":
        panel = json.loads(frame["args"])
        emit(type="command_response", id=frame["id"], action="open_panel", open_panel=panel)
    elif frame["type"].startswith("panel_"):
        came.append(frame)
    elif frame["type"] == "shutdown":
        break
