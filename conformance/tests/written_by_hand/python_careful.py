"""The quick start of zot's documentation, with what the tester says about it mended."""
import json
import sys


def emit(frame):
    sys.stdout.write(json.dumps(frame) + "\n")
    sys.stdout.flush()


sys.stdin.reconfigure(encoding="utf-8", errors="replace")
emit({"type": "hello", "name": "hello-py", "version": "1.0.0", "capabilities": ["commands"]})
emit({"type": "register_command", "name": "hellopy", "description": "say hi (python)"})
emit({"type": "ready"})

for line in sys.stdin:
    line = line.strip()
    if not line:
        continue
    try:
        msg = json.loads(line)
    except (ValueError, RecursionError) as error:
        print(f"skipped a line: {error}", file=sys.stderr)
        continue
    if not isinstance(msg, dict):
        continue
    kind, call = msg.get("type"), msg.get("id")
    if kind == "command_invoked" and isinstance(call, str) and call:
        if msg.get("name") == "hellopy":
            emit({"type": "command_response", "id": call, "action": "prompt",
                  "prompt": "Greet me very briefly. Add one emoji."})
        else:
            emit({"type": "command_response", "id": call, "action": "noop",
                  "error": f"there is no command {msg.get('name')}"})
    elif kind == "shutdown":
        emit({"type": "shutdown_ack"})
        break
