"""An extension by hand, for the page of `extline inspect --web`.

add: a form with a field of each kind; says its arguments. slow: is answered by its cancel alone. ask: asks what
`method` says and says what was answered. note: tells a person, and stderr. loud: has HTML in all that it says. wipe: needs an
approval. /panel opens a panel whose lines are the keys that came.
"""

import json
import sys

LOUD = "<img src=x onerror=\"document.title='taken'\"><b>loud</b>"
ADD = {
    "type": "object",
    "required": ["text"],
    "properties": {
        "text": {"type": "string", "description": "What to add", "minLength": 1},
        "count": {"type": "integer", "minimum": 1, "maximum": 9, "default": 1},
        "exact": {"type": "boolean"},
        "unit": {"enum": ["mm", "inch"]},
        "tags": {"type": "array", "items": {"type": "string"}},
        "where": {"type": "object", "properties": {"city": {"type": "string"}}},
    },
}
ASKS = {
    "ui.confirm": {"title": "Ship it?", "message": LOUD},
    "ui.select": {"title": "Where?", "options": ["north", {"label": "the south", "value": "s"}]},
    "ui.input": {"title": "Name?", "placeholder": "Ada"},
    "ui.editor": {"title": "The message", "prefill": "fix "},
    "ui.auth": {"url": "https://example.com/device", "code": "AB-12", "message": "Sign in."},
    "ui.ask": {
        "questions": [
            {"id": "size", "question": "How large?", "options": ["small", "large"], "recommended": "large"},
            {"id": "parts", "question": "Which parts?", "options": ["a", "b", "c"], "multi": True},
            {"id": "name", "question": "Called how?"},
        ]
    },
}
ASK = {"type": "object", "required": ["method"], "properties": {"method": {"enum": list(ASKS)}}}
keys = []


def say(**frame):
    print(json.dumps(frame), flush=True)


def answer(call, text):
    say(type="tool_result", id=call, content=[{"type": "text", "text": text}])


size = ""


def panel():
    return {"title": "Keys", "lines": keys or ["none"], "footer": f"type{size}"}


say(type="hello", name="shown", version="1.0.0", capabilities=["tools", "commands", "panels", "rpc", "tool_cancel"])
say(type="register_tool", name="add", description="Adds something.", schema=ADD)
say(type="register_tool", name="ask", description="Asks a person.", schema=ASK)
say(type="register_tool", name="wipe", description="Wipes.", schema={"type": "object"}, approval={"gated": True})
for name in ("slow", "note", "loud"):
    say(type="register_tool", name=name, description=LOUD, schema={"type": "object"})
say(type="register_command", name="panel", description="Opens the panel")
say(type="ready")
for line in sys.stdin:
    frame = json.loads(line)
    kind, call = frame["type"], frame.get("id")
    if kind == "tool_call":
        name, args = frame["name"], frame.get("args", {})
        if name == "ask":
            parent = {"kind": "tool_call", "id": call}
            method = args["method"]
            say(type="request", id="q" + call, method=method, params=ASKS[method], parent=parent)
        elif name == "note":
            say(type="notify", level="warn", message=LOUD)
            print("written to stderr", file=sys.stderr, flush=True)
            answer(call, "noted")
        elif name == "loud":
            answer(call, LOUD)
        elif name != "slow":
            answer(call, json.dumps(args))
    elif kind == "tool_cancel":
        say(type="notify", level="info", message="cancelled by the page")
        answer(call, "cancelled")
    elif kind == "response":
        answer(call[1:], json.dumps(frame.get("result", frame.get("error"))))
    elif kind == "command_invoked":
        say(type="command_response", id=call, action="open_panel", open_panel={"id": "keys", **panel()})
    elif kind == "panel_resize":
        size = f", {frame['width']} wide"
        say(type="panel_render", panel_id="keys", **panel())
    elif kind == "panel_key":
        keys.append(frame.get("text") or frame["key"])
        say(type="panel_render", panel_id="keys", **panel())
    elif kind == "shutdown":
        say(type="shutdown_ack")
        break
