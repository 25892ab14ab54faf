"""What an author would write as a hook of its own: it starts, decides about one event, and ends."""
import json
import re
import sys

event = json.load(sys.stdin)
if re.search(r"\brm\s+-\w*r\w*\s+/", event["tool_input"].get("command", "")):
    decision = {"permissionDecision": "deny", "permissionDecisionReason": "refused: this deletes the root"}
    print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", **decision}}))
