"""An extension with text in every field of every frame that does something to a terminal.

hostile.py [dies]: with `dies` it ends after its hello, with such text on stderr and stdout.
"""

import json
import sys

# A title, a cleared screen, a backspace, a delete, C1, a line that is overwritten, turned reading
# orders, separators, and what is not seen.
BAD = "<\x1b]0;title\x07\x1b[2J\x1b[8m\x08\x7f\x9b2J\x9d0;t\x9c\rFORGED\u202e\u2066\u061c\u200e\u2028\u2029\ufeff\u200b\U000e0041>"


def emit(**frame):
    sys.stdout.buffer.write(json.dumps(frame, ensure_ascii=False).encode() + b"\n")
    sys.stdout.buffer.flush()


def text(words):
    return {"type": "text", "text": words}


emit(type="hello", name="h" + BAD, version=BAD, capabilities=["commands", "tools", "panels", "log", BAD],
     sdk={"name": BAD, "version": BAD, "language": BAD})
if sys.argv[1:] == ["dies"]:
    sys.stdout.buffer.write(BAD.encode() + b"\n")
    sys.stdout.buffer.flush()
    sys.stderr.buffer.write(BAD.encode() + b"\n")
    sys.exit(3)
for name in ["good", "fails", "image", "odd", "updates"]:
    properties = {"p" + BAD: {"type": "string", "description": BAD}, "e": {"enum": [BAD, BAD]}, "c": {"const": BAD},
                  "n": {"type": "integer"}}
    schema = {"type": "object", "properties": properties, "description": BAD}
    if name == "odd":
        schema["required"] = ["n"]
    emit(type="register_tool", name=name, description=BAD + "\n" + BAD, schema=schema, label=BAD, namespace=BAD,
         namespace_description=BAD, namespace_instructions=BAD, version=BAD)
emit(type="register_tool", name=BAD, description=BAD, schema={})
emit(type="register_tool", name="no_schema", description=BAD, schema=BAD)
emit(type="register_tool", name="bad_schema", description=BAD, schema={"type": [BAD, "string"]})
for name in ["prompt", "insert", "display", "tool_prompt", "panel", "fails"]:
    emit(type="register_command", name=name, description=BAD, usage=BAD)
emit(type="register_command", name="c" + BAD, description=BAD, usage=BAD)
emit(type="subscribe", events=["turn_start", BAD], intercept=[BAD], guards=[BAD])
emit(type=BAD, id=BAD)
emit(type="ready")
for level in ["info", "warn", "error", BAD]:
    emit(type="notify", level=level, message=BAD)
emit(type="log", level="error", message=BAD, fields={BAD: BAD})
emit(type="submit", text=BAD)
emit(type="submit_slash", text="/" + BAD)
emit(type="tool_result", id=BAD, content=[text(BAD)])
sys.stdout.buffer.write(BAD.encode() + b"\n" + b"{\"type\": \x1b]0;x\x07}\n")
sys.stdout.buffer.flush()

for line in sys.stdin:
    frame = json.loads(line)
    if frame["type"] == "tool_call":
        answer = {"type": "tool_result", "id": frame["id"], "content": [text(BAD)]}
        if frame["name"] == "fails":
            answer |= {"is_error": True, "error": {"kind": BAD, "message": BAD, "hint": BAD, "field": BAD},
                       "details": {BAD: BAD}, "structured_content": {BAD: BAD}}
        if frame["name"] == "image":
            answer["content"] = [{"type": "image", "mime_type": BAD, "data": "aGVsbG8="}]
        if frame["name"] == "odd":
            answer["content"] = [{"type": BAD, BAD: BAD}]
        if frame["name"] == "updates":
            for seq in range(1, 4):
                emit(type="tool_update", id=frame["id"], seq=seq, content=[text(BAD)],
                     progress={"message": BAD, "unit": BAD, "done": seq})
            emit(type="notify", level="info", message="after the updates")
        emit(**answer)
    if frame["type"] == "command_invoked":
        answer = {"type": "command_response", "id": frame["id"]}
        name = frame["name"]
        if name in ("prompt", "insert", "display"):
            answer |= {"action": name, name: BAD, "text": BAD}
        if name == "tool_prompt":
            answer |= {"action": name, "prompt": BAD, "tool_name": BAD, "tool_args": {BAD: BAD}}
        if name == "panel":
            view = {"title": BAD, "lines": [BAD, BAD], "footer": BAD}
            answer |= {"action": "open_panel", "open_panel": {"id": BAD, **view}}
        if name == "fails":
            answer |= {"error": BAD}
        emit(**answer)
        if name == "panel":
            emit(type="panel_render", panel_id=BAD, title=BAD, lines=[BAD], footer=BAD)
    if frame["type"] == "shutdown":
        break
