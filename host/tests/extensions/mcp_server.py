"""A server of MCP by hand, without a library, that does what a test wants.

Arguments: `started=FILE` writes that file first of all; `tools=N` offers N tools more, `schema=BYTES` one with a schema
of that size, `twins` two that differ by a dot; `exits` ends at a request before the handshake.
"""

import json
import sys

OPTIONS = dict(word.partition("=")[::2] for word in sys.argv[1:])
if "started" in OPTIONS:
    with open(OPTIONS["started"], "a", encoding="utf-8") as file:
        file.write("started\n")

ANYTHING = {"type": "object"}
TOOLS = [
    {
        "name": "echo",
        "description": "says it again",
        "inputSchema": {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}},
        "annotations": {"readOnlyHint": True},
    },
    *({"name": name, "inputSchema": ANYTHING} for name in ("count", "wait", "picture", "ask", "die", "grow", "fail")),
    *({"name": f"more{number}", "inputSchema": ANYTHING} for number in range(int(OPTIONS.get("tools", 0)))),
]
if "schema" in OPTIONS:
    TOOLS.append({"name": "large", "inputSchema": {"type": "object", "title": "x" * int(OPTIONS["schema"])}})
if "twins" in OPTIONS:
    TOOLS += [{"name": "a.b", "inputSchema": ANYTHING}, {"name": "a_b", "inputSchema": ANYTHING}]

# Calls whose answer waits for that of a question, or for a cancel.
ASKED, WAITING = {}, set()


def send(**message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def text(words):
    return {"content": [{"type": "text", "text": words}]}


def call(number, name, arguments, token):
    if name == "echo":
        return text(arguments["text"])
    if name == "count":
        for step in (1, 2, 3):
            send(method="notifications/progress", params={"progressToken": token, "progress": step, "total": 3, "message": f"step {step}"})
        return text("counted")
    if name == "picture":
        link = {"type": "resource_link", "uri": "file:///notes.md", "name": "notes"}
        return {"content": [{"type": "image", "data": "aGk=", "mimeType": "image/png"}, link]}
    if name == "ask":
        properties = {"name": {"type": "string", "title": "Your name"}}
        schema = {"type": "object", "properties": properties, "required": ["name"]}
        ASKED["question"] = number
        send(id="question", method="elicitation/create", params={"message": "Who are you?", "requestedSchema": schema})
        return None
    if name == "wait":
        WAITING.add(number)
        send(method="notifications/message", params={"level": "warning", "data": "it waits"})
        return None
    if name == "grow":
        TOOLS.append({"name": "grown", "inputSchema": ANYTHING})
        send(method="notifications/tools/list_changed")
        return text("grown")
    if name == "fail":
        return {**text("it cannot be done"), "isError": True}
    if name == "die":
        sys.exit(7)
    return text(f"{name} it is")


def answer(message):
    method, params = message["method"], message.get("params", {})
    if method == "initialize":
        offers = {"tools": {"listChanged": True}, "prompts": {}, "resources": {}, "logging": {}}
        version = params["protocolVersion"]
        return {"protocolVersion": version, "capabilities": offers, "serverInfo": {"name": "by hand", "version": "1"}}
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "tools/call":
        token = params.get("_meta", {}).get("progressToken")
        return call(message["id"], params["name"], params.get("arguments", {}), token)
    if method == "prompts/list":
        arguments = [{"name": "who", "required": True}, {"name": "how"}]
        return {"prompts": [{"name": "greet", "description": "greets", "arguments": arguments}]}
    if method == "prompts/get":
        arguments = params["arguments"]
        words = f"Greet {arguments['who']} {arguments.get('how', 'plainly')}."
        return {"messages": [{"role": "user", "content": {"type": "text", "text": words}}]}
    if method == "resources/list":
        return {"resources": [{"uri": "file:///notes.md", "name": "notes", "mimeType": "text/markdown"}]}
    if method == "resources/read":
        return {"contents": [{"uri": params["uri"], "text": "what the notes say"}]}
    raise LookupError(method)


for line in sys.stdin:
    message = json.loads(line)
    if message.get("method") == "notifications/cancelled":
        number = message["params"]["requestId"]
        if number in WAITING:
            WAITING.discard(number)
            print(f"call {number} was cancelled", file=sys.stderr, flush=True)
    elif "method" not in message:
        said = message.get("result", {})
        send(id=ASKED.pop(message["id"]), result=text(f"{said.get('action')}: {said.get('content', {}).get('name')}"))
    elif "id" in message:
        if message["method"] == "server/discover" and "exits" in OPTIONS:
            sys.exit(3)
        try:
            result = answer(message)
        except LookupError:
            send(id=message["id"], error={"code": -32601, "message": f"there is no {message['method']}"})
            continue
        if result is not None:
            send(id=message["id"], result=result)
