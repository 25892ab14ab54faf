"""An MCP server in plain Python that is right in both eras, or wrong in the one way that its argument names.

With `older` it is right as well, in 2025-03-26 alone: that has batches, and knows no server/discover. With
`changes` it is right too, and has another tool once `now` was called.
"""

import fcntl
import json
import os
import queue
import random
import select
import signal
import subprocess
import sys
import threading
import time

BROKEN = sys.argv[1] if len(sys.argv) > 1 else ""
OLDER = BROKEN == "older"
LEGACY = ["2025-03-26"] if OLDER else ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]
MODERN = "2026-07-28"
INFO = {"name": "mutant", "version": "1.0.0"}
META = "io.modelcontextprotocol/"
KEPT = ["server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read"]
NUMBERS = {"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "number"}}, "required": ["a", "b"]}
SUM = {"type": "object", "properties": {"sum": {"type": "number"}}, "required": ["sum"]}

writing = threading.Lock()
running = {}
threads = []
subscribed = {}
answers = {}
kept = []
grown = False
declared = {}
confused = False
asked_before = {"initialize": False, "discover": False, "list": False}


def is_broken(*names):
    return BROKEN in names


class Silence(Exception):
    """Raised where a broken server answers nothing."""


class Refusal(Exception):
    def __init__(self, code, message, data=None):
        super().__init__(message)
        self.error = {"code": code, "message": message}
        if data is not None:
            self.error["data"] = data


def write(message):
    line = (json.dumps(message) if isinstance(message, dict) else message).encode() + b"\n"
    with writing:
        if is_broken("drops-when-full") and not select.select([], [1], [], 0)[1]:
            return
        try:
            while line:
                line = line[os.write(1, line):]
        except BrokenPipeError:
            pass


def notify(method, params):
    write({"jsonrpc": "2.0", "method": method, "params": params})


def answer(identity, outcome):
    if is_broken("text-ids"):
        identity = str(identity)
    if "error" in outcome and is_broken("text-codes"):
        outcome["error"]["code"] = str(outcome["error"]["code"])
    if "result" in outcome and is_broken("result-and-error"):
        outcome["error"] = None
    message = {"jsonrpc": "2.0", "id": identity, **outcome}
    write(message)
    if is_broken("answers-twice"):
        write(message)


def finished(method, result, modern):
    """A result as its era has it."""
    if not modern:
        return result
    if not is_broken("no-result-type"):
        result.setdefault("resultType", "complete")
    if method in KEPT and not is_broken("no-cache-hints"):
        result.update(ttlMs=0, cacheScope="private")
    if not is_broken("no-info-in-results"):
        result["_meta"] = {META + "serverInfo": INFO}
    return result


def capabilities():
    offered = {"tools": {"listChanged": True}, "prompts": {}, "resources": {}, "logging": {}, "completions": {}}
    if is_broken("logs-undeclared"):
        del offered["logging"]
    return offered


def initialize(params):
    asked_before["initialize"] = True
    declared.update(params.get("capabilities") or {})
    version = params.get("protocolVersion")
    if version not in LEGACY:
        if is_broken("dies-at-unknown-version"):
            os._exit(1)
        version = version if is_broken("echoes-version") else LEGACY[0]
    if is_broken("fixed-version"):
        version = LEGACY[3] if version == LEGACY[0] else LEGACY[2]
    if is_broken("asks-early"):
        write({"jsonrpc": "2.0", "id": 1, "method": "roots/list"})
    result = {"protocolVersion": version, "capabilities": capabilities(), "serverInfo": INFO}
    if is_broken("no-server-info"):
        del result["serverInfo"]
    return result


def discover():
    result = {"supportedVersions": [MODERN, *LEGACY], "capabilities": capabilities()}
    if is_broken("no-versions"):
        del result["supportedVersions"]
    return result


def tools():
    listed = [
        {"name": "add", "description": "Adds", "inputSchema": NUMBERS, "outputSchema": SUM},
        {"name": "now", "description": "The time", "inputSchema": {"type": "object"}},
        {"name": "who", "description": "The name", "inputSchema": {"type": "object"}},
        {"name": "greet", "description": "Asks for a name", "inputSchema": {"type": "object"}},
    ]
    if grown:
        listed.append({"name": "later", "description": "New", "inputSchema": {"type": "object"}})
    if OLDER:
        # A dialect of its own, and a part that stands elsewhere, are valid where nobody here can tell.
        part = {"$ref": "https://example.com/name.json"}
        listed[2]["inputSchema"] = {"$schema": "https://example.com/dialect", "type": "object", "properties": {"a": part}}
    schemas = {"null-schema": None, "array-schema": {"type": "array"}}
    if BROKEN in schemas:
        listed[1]["inputSchema"] = schemas[BROKEN]
    names = {"odd-names": "my tool!", "same-names": "add"}
    listed[1]["name"] = names.get(BROKEN, "now")
    if is_broken("shuffles"):
        listed = listed[::-1] if asked_before["list"] else listed
    return listed


def list_tools(params):
    if params.get("cursor") is not None and not is_broken("takes-any-cursor"):
        raise Refusal(-32602, "no page begins there")
    listed = tools()
    asked_before["list"] = True
    return {"tools": listed}


def question():
    form = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    if is_broken("asks-nested"):
        form["properties"]["name"] = {"type": "object", "properties": {}}
    asked = {"message": "What is your name?", "requestedSchema": form}
    asked.pop({"asks-without-message": "message", "asks-without-schema": "requestedSchema"}.get(BROKEN), None)
    return asked


def ask(params, modern):
    """What the user says, or None where nobody can be asked; of the newer era, the result that requires it."""
    able = ((params.get("_meta") or {}).get(META + "clientCapabilities") or {}) if modern else declared
    if "elicitation" not in able and not is_broken("asks-undeclared"):
        return None
    if not modern:
        identity = f"ask-{len(answers)}"
        answers[identity] = queue.Queue()
        write({"jsonrpc": "2.0", "id": identity, "method": "elicitation/create", "params": question()})
        said = answers[identity].get()
    elif "inputResponses" in params:
        if params.get("requestState") != "greet-1":
            raise Refusal(-32602, "requestState is not one that was given")
        said = params["inputResponses"].get("name") or {}
    else:
        method = "tools/call" if is_broken("requires-odd") else "elicitation/create"
        required = {"resultType": "input_required", "requestState": "greet-1"}
        required["inputRequests"] = {"name": {"method": method, "params": question()}}
        if is_broken("requires-nothing"):
            del required["inputRequests"], required["requestState"]
        return required
    if is_broken("hangs-at-answer") or is_broken("hangs-at-decline") and said.get("action") != "accept":
        raise Silence
    return said


def greet(params, modern):
    said = ask(params, modern)
    if said is not None and "resultType" in said:
        return said
    name = ((said or {}).get("content") or {}).get("name", "nobody")
    return {"content": [{"type": "text", "text": f"Hello {name}"}]}


def grow(modern):
    global grown
    grown = True
    if is_broken("changes-silently"):
        return
    if not modern:
        return write({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
    for identity in subscribed:
        notify("notifications/tools/list_changed", {"_meta": {META + "subscriptionId": identity}})


def call_tool(params, modern):
    if is_broken("dies-at-state") and params.get("requestState") == "nobody gave this":
        os._exit(1)
    name, arguments = params.get("name"), params.get("arguments") or {}
    if not isinstance(name, str):
        if is_broken("dies-without-name"):
            os._exit(1)
        raise Refusal(-32602, "params.name is no string")
    known = {tool["name"] for tool in tools()}
    if name not in known and not is_broken("runs-any-tool"):
        raise Refusal(-32602, f"Unknown tool: {name}")
    if is_broken("calls-fail"):
        raise Refusal(-32603, "it failed")
    token = (params.get("_meta") or {}).get("progressToken")
    if token is not None:
        for value in [1, 1] if is_broken("progress-stands-still") else [1, 2]:
            told = "nobody" if is_broken("progress-of-nobody") else token
            notify("notifications/progress", {"progressToken": told, "progress": value})
    time.sleep(0.02)
    if name == "greet":
        return greet(params, modern)
    if name == "now" and BROKEN in ("changes", "changes-silently") and not grown:
        grow(modern)
    if name != "add":
        return {"content": [{"type": "text", "text": name}]}
    numbers = [arguments.get("a"), arguments.get("b")]
    if not all(isinstance(number, (int, float)) for number in numbers):
        if is_broken("validates-nothing"):
            numbers = [0, 0]
        else:
            return {"content": [{"type": "text", "text": "a and b are numbers"}], "isError": True}
    structure = {"sum": sum(numbers)}
    result = {"content": [{"type": "text", "text": json.dumps(structure)}], "structuredContent": structure}
    if is_broken("wrong-structure"):
        result["structuredContent"] = {"total": 1}
    if is_broken("no-structure"):
        del result["structuredContent"]
    if is_broken("structure-alone"):
        result["content"] = []
    if is_broken("content-is-text"):
        result["content"] = "3"
    return result


def get_prompt(params):
    if params.get("name") != "greet" and not is_broken("any-prompt"):
        raise Refusal(-32602, "there is no such prompt")
    return {"messages": [{"role": "user", "content": {"type": "text", "text": "Hello"}}]}


def read_resource(params, modern):
    uri = params.get("uri")
    if uri != "memo://one":
        if is_broken("empty-resource"):
            return {"contents": []}
        raise Refusal(-32602 if modern else -32002, "there is no such resource")
    return {"contents": [{"uri": uri, "text": "one"}]}


def complete(params):
    reference = params.get("ref") or {}
    if reference.get("name") != "greet" and not is_broken("completes-anything"):
        raise Refusal(-32602, "there is no such prompt")
    values = ["Ada"] * 101 if is_broken("completes-too-much") else ["Ada", "Bob"]
    return {"completion": {"values": values, "hasMore": False}}


def templates():
    if is_broken("template-without-uri"):
        return [{"name": "notes"}]
    return [{"name": "notes", "uriTemplate": "memo://{name}"}]


def set_level(params):
    levels = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]
    if params.get("level") not in levels and not is_broken("any-level"):
        raise Refusal(-32602, "there is no such level")
    return {}


def is_modern(method, params):
    """Whether a request is of the newer era; refuses what is of neither."""
    meta = params.get("_meta") if isinstance(params.get("_meta"), dict) else {}
    version = meta.get(META + "protocolVersion")
    if OLDER or version is None and method != "server/discover":
        return False
    if is_broken("confused-by-probe"):
        global confused
        confused = not asked_before["initialize"]
        raise Refusal(-32601, "Method not found")
    if is_broken("silent-at-probe") and not asked_before["initialize"]:
        raise Silence
    if version is None and not is_broken("takes-no-meta"):
        raise Refusal(-32602, "params._meta names no protocolVersion")
    if version is not None and META + "clientCapabilities" not in meta and not is_broken("takes-half-meta"):
        raise Refusal(-32602, "params._meta has no clientCapabilities")
    if version not in (None, MODERN) and not is_broken("takes-any-version"):
        supported = {"supported": [MODERN, *LEGACY], "requested": version}
        raise Refusal(-32022, "Unsupported protocol version", supported)
    return True


def serve(method, params, modern):
    if is_broken("leaves-early") and method == "tools/list":
        threading.Timer(0.05, lambda: os._exit(0)).start()
    if confused and method == "initialize":
        raise Refusal(-32603, "already begun")
    if is_broken("refuses-" + method.split("/")[-1]):
        raise Refusal(-32603, "not now")
    if method == "initialize":
        return initialize(params)
    if method == "ping" and not modern:
        early = not asked_before["initialize"]
        if is_broken("no-ping") or early and is_broken("no-early-ping"):
            raise Refusal(-32601, "Method not found")
        if is_broken("refuses-meta") and "_meta" in params:
            raise Refusal(-32602, "params has an unknown member")
        return {}
    if method == "server/discover" and not OLDER:
        asked_before["discover"] = True
        return discover()
    if method == "tools/list":
        if is_broken("lists-once") and asked_before["list"]:
            raise Silence
        if is_broken("wants-discover-first") and modern and not asked_before["discover"]:
            raise Refusal(-32603, "discover comes first")
        if is_broken("logs-undeclared"):
            notify("notifications/message", {"level": "info", "data": "listed"})
        if is_broken("asks-anything"):
            write({"jsonrpc": "2.0", "id": 1, "method": "ping"})
        result = list_tools(params)
        if is_broken("prints-later"):
            write("listed the tools")
        return result
    if method == "tools/call":
        return call_tool(params, modern)
    if method == "prompts/list":
        if is_broken("requires-for-list") and modern:
            return {"resultType": "input_required", "requestState": "prompts-1"}
        return {"prompts": [{"name": "greet", "arguments": [{"name": "name"}]}]}
    if method == "completion/complete":
        return complete(params)
    if method == "resources/templates/list":
        return {"resourceTemplates": templates()}
    if method == "prompts/get":
        return get_prompt(params)
    if method == "resources/list":
        return {"resources": [{"uri": "memo://one", "name": "one"}]}
    if method == "resources/read":
        if is_broken("reads-nothing") and params.get("uri") == "memo://one":
            raise Silence
        return read_resource(params, modern)
    if method == "logging/setLevel" and not modern:
        return set_level(params)
    if is_broken("silent-at-unknown-method"):
        raise Silence
    if is_broken("other-code"):
        raise Refusal(-32000, "no")
    if is_broken("old-code"):
        raise Refusal(-32002, "no")
    raise Refusal(-32601, f"Method not found: {method}")


def perform(method, params, identity, modern):
    if is_broken("drops-at-end") and method == "tools/list":
        time.sleep(0.1)
    try:
        outcome = {"result": finished(method, serve(method, params, modern), modern)}
    except Refusal as refusal:
        outcome = {"error": refusal.error}
    except Silence:
        return
    if running.pop(json.dumps(identity), None) == "cancelled" and not is_broken("answers-cancelled"):
        return
    answer(identity, outcome)
    if is_broken("progress-behind-answer") and method == "tools/call":
        token = (params.get("_meta") or {}).get("progressToken")
        if token is not None:
            notify("notifications/progress", {"progressToken": token, "progress": 9})


def cancelled(params):
    identity = params.get("requestId") if isinstance(params, dict) else None
    key = json.dumps(identity)
    if key in running:
        if is_broken("dies-at-cancel"):
            os._exit(1)
        running[key] = "cancelled"
    elif is_broken("dies-at-unknown-cancel"):
        os._exit(1)


def request(identity, method, params):
    try:
        modern = is_modern(method, params)
    except Refusal as refusal:
        return answer(identity, {"error": refusal.error})
    except Silence:
        return None
    if method == "subscriptions/listen" and modern:
        meta = {META + "subscriptionId": identity}
        if is_broken("tells-early"):
            notify("notifications/tools/list_changed", {"_meta": meta})
        subscribed[identity] = params.get("notifications")
        if not is_broken("no-acknowledgement"):
            notify("notifications/subscriptions/acknowledged", {"_meta": meta, "notifications": {}})
        if is_broken("tells-everybody"):
            notify("notifications/prompts/list_changed", {"_meta": meta})
        return None
    if method == "tools/call" or is_broken("drops-at-end") and method == "tools/list":
        running[json.dumps(identity)] = "runs"
        threads.append(threading.Thread(target=perform, args=(method, params, identity, modern), daemon=True))
        return threads[-1].start()
    return perform(method, params, identity, modern)


def take(line):
    if is_broken("keeps-requests"):
        kept.append(line)
    if is_broken("no-crlf") and line.endswith(b"\r"):
        return
    if is_broken("line-limit") and len(line) > 65536 or is_broken("longer-line-limit") and len(line) > 10_000_000:
        os._exit(1)
    if not line.strip():
        if is_broken("dies-at-blank-line"):
            os._exit(1)
        return
    try:
        text = line.decode("ascii", "replace") if is_broken("ascii-only") else line.decode()
        message = json.loads(text)
    except (ValueError, RecursionError) as error:
        deaths = {RecursionError: "dies-at-depth", UnicodeDecodeError: "dies-at-no-utf-8"}
        if is_broken(deaths.get(type(error), "dies-at-no-json")):
            os._exit(1)
        if not is_broken("silent-at-no-json"):
            write({"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "Parse error"}})
        return
    if OLDER and isinstance(message, list) and message:
        return write(json.dumps([{"jsonrpc": "2.0", "id": one["id"], "result": list_tools({})} for one in message]))
    if not isinstance(message, dict):
        if is_broken("dies-at-batch" if isinstance(message, list) and message else "dies-at-no-object"):
            os._exit(1)
        return
    if "result" in message or "error" in message:
        if is_broken("dies-at-response"):
            os._exit(1)
        if message.get("id") in answers and isinstance(message.get("result"), dict):
            answers[message["id"]].put(message["result"])
        return
    method, params, identity = message.get("method"), message.get("params", {}), message.get("id")
    if not isinstance(method, str):
        if is_broken("dies-at-no-method"):
            os._exit(1)
        if identity is not None:
            error = {"code": -32600, "message": "Invalid Request"}
            write({"jsonrpc": "2.0", "id": identity, "error": error})
        return
    if not isinstance(params, dict):
        if is_broken("dies-at-list-of-params"):
            os._exit(1)
        params = {}
    if is_broken("integer-ids") and isinstance(identity, str):
        return
    if is_broken("falsy-ids") and not identity:
        identity = None
    if identity is not None:
        request(identity, method, params)
    elif method == "notifications/cancelled":
        cancelled(params)
    elif is_broken("answers-notifications"):
        write({"jsonrpc": "2.0", "id": None, "error": {"code": -32601, "message": "Method not found"}})


def lines():
    """Each line of stdin; the broken ones take a read for a line."""
    rest = b""
    while True:
        piece = os.read(0, 65536)
        if not piece:
            return
        if is_broken("reads-pieces") and not piece.endswith(b"\n"):
            continue
        rest += piece
        if b"\n" not in piece:
            continue
        *whole, rest = rest.split(b"\n")
        if is_broken("reads-one-line"):
            whole = whole[:1]
        if is_broken("queue-limit"):
            whole = whole[:50]
        yield from whole


def main():
    if is_broken("prints-at-start"):
        write("Server started")
    if is_broken("ignores-term"):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if is_broken("leaves-child"):
        subprocess.Popen(["sleep", "30"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if is_broken("locks"):
        lock = open(__file__)
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    if is_broken("spins"):
        threading.Thread(target=lambda: [None for _ in iter(random.random, 2)], daemon=True).start()
    seen = False
    for line in lines():
        seen = True
        take(line)
    if is_broken("drops-at-end"):
        os._exit(0)
    gone = select.poll()
    gone.register(1, 0)
    client_is_gone = bool(gone.poll(0))
    if is_broken("stays-at-end") or is_broken("waits-at-start") and not seen:
        time.sleep(60)
    if is_broken("stays-without-client") and client_is_gone:
        time.sleep(60)
    for thread in threads:
        thread.join()


main()
