#!/usr/bin/env python3
"""An extension that attacks its host. Its argument says how: the name of one of the functions below,
each of which yields frames, written as fast as they are read.

It has a tool `echo`, and a tool `wait` that is never answered, or only with what the function yields.
"""

import itertools
import json
import sys

MEGABYTE = 1000 * 1000
LONG = "x" * (39 * MEGABYTE // 10)
PLAIN = {"type": "object"}


def tool(name, schema=PLAIN, **more):
    return {"type": "register_tool", "name": name, "schema": schema, **more}


def chain(count, each, last=None):
    """d0 to dN, each made of the next."""
    definitions = {f"d{n}": each({"$ref": f"#/$defs/d{n + 1}"}) for n in range(count)}
    definitions[f"d{count}"] = last or {"pattern": "^a"}
    return {"type": "object", "properties": {"x": {"$ref": "#/$defs/d0"}}, "$defs": definitions}


def twice(keyword):
    return chain(40, lambda below: {keyword: [below, below]})


# Schemas, each registered once as the tool `hostile`.
SCHEMAS = {
    "references": lambda: chain(20000, lambda below: below),
    "all-of": lambda: chain(20000, lambda below: {"allOf": [below]}),
    "twice-all-of": lambda: twice("allOf"),
    "twice-any-of": lambda: twice("anyOf"),
    "patterns": lambda: {
        "properties": {f"p{n}": {"pattern": r"^(?=\p{L}{90}%d)x$" % n} for n in range(1000)}
    },
    "empty-schemas": lambda: {"allOf": [{}] * 1000000},
    # As large as the limits allow: it takes long to compile.
    "large": lambda: {"not": {"allOf": [{"minLength": n, "multipleOf": 7} for n in range(9000)]}},
}


# Frames that follow ready without an end.
def bad_tools():
    for n in itertools.count():
        yield tool(f"bad name {n} {LONG}")


def tools():
    for n in itertools.count():
        yield tool(f"t{n}", description="x" * 100000)


def large_tools():
    for n in itertools.count():
        yield tool(f"t{n}", {"not": {"allOf": [{}] * 9000}})


def commands():
    for n in itertools.count():
        yield {"type": "register_command", "name": f"c{n}", "description": "x" * 100000}


def subscriptions():
    for n in itertools.count():
        yield {"type": "subscribe", "events": [f"e{n}x{m}" for m in range(20000)]}


def long_subscriptions():
    for n in itertools.count():
        yield {"type": "subscribe", "guards": [f"{n}{LONG}"], "on_failure": {f"{n}{LONG[:9]}": "block"}}


def short_subscriptions():
    for n in itertools.count():
        yield {"type": "subscribe", "events": [f"{n}x{m}" for m in range(350000)]}


def notes():
    return itertools.repeat({"type": "notify", "level": "info", "message": LONG})


def logs():
    return itertools.repeat({"type": "log", "level": "info", "message": LONG})


def prompts():
    return itertools.repeat({"type": "submit", "text": LONG})


def panels():
    for n in itertools.count():
        yield {"type": "open_panel", "panel": {"id": f"p{n % 64}", "lines": [LONG]}}


def lines_of_panels():
    for n in itertools.count():
        yield {"type": "open_panel", "panel": {"id": f"p{n % 64}", "lines": [""] * MEGABYTE}}


def calls():
    for n in itertools.count():
        yield {"type": "call_tool", "id": f"c{n}", "name": "wait", "args": {"a": LONG}}


def requests():
    for n in itertools.count():
        yield {"type": "request", "id": f"r{n}", "method": "wait", "params": {"a": LONG}}


def unknown():
    return itertools.repeat({"type": f"unknown {LONG}"})


def unknown_answers():
    for n in itertools.count():
        yield {"type": "tool_result", "id": f"{n}{LONG}", "content": []}


def junk():
    return itertools.repeat(LONG)


def updates(call):
    for n in itertools.count(1):
        yield {"type": "tool_update", "id": call["id"], "seq": n, "content": [{"type": "text", "text": LONG}]}


# Frames of which one goes before each answer, so that they are no flood.
def ids_of_panels():
    for n in itertools.count():
        yield {"type": "open_panel", "panel": {"id": f"{n}{LONG}", "lines": []}}


def ids_of_closed_panels():
    for n in itertools.count():
        yield {"type": "open_panel", "panel": {"id": f"{n}{LONG}", "lines": []}}
        yield {"type": "panel_close", "panel_id": f"{n}{LONG}"}


def drawn_and_closed_panels():
    for n in itertools.count():
        yield {"type": "open_panel", "panel": {"id": f"p{n}"}}
        yield {"type": "panel_render", "panel_id": f"p{n}", "lines": [LONG]}
        yield {"type": "panel_close", "panel_id": f"p{n}"}


def ids_of_calls():
    for n in itertools.count():
        yield {"type": "call_tool", "id": f"{n}{LONG}", "name": "wait", "args": {}}


def ids_of_requests():
    for n in itertools.count():
        yield {"type": "request", "id": f"{n}{LONG}", "method": "wait"}


def emit(*frames):
    for frame in frames:
        sys.stdout.write(frame if isinstance(frame, str) else json.dumps(frame))
        sys.stdout.write("\n")
    sys.stdout.flush()


def main():
    how = sys.argv[1]
    known = ["commands", "tools", "events", "panels", "tool_cancel", "call_tool", "tool_update",
             "tool_registry", "registration_report", "log", "rpc"]
    hello = {"type": "hello", "name": "hostile", "version": "1.0.0", "capabilities": known}
    if how == "hello":
        # Short words take most beside their bytes.
        hello["methods"] = [""] * (MEGABYTE - 100)
    emit(hello)
    emit(tool("echo"), tool("wait"))
    if how in SCHEMAS:
        emit(tool("hostile", SCHEMAS[how]()), tool("behind"))
    emit({"type": "ready"})
    frames = globals().get(how.replace("-", "_")) if how not in SCHEMAS else None
    is_answer = how == "updates"
    before_answer = iter(())
    if frames and how.startswith(("ids-", "drawn-")):
        before_answer = frames()
    elif frames and not is_answer:
        for frame in itertools.islice(frames(), 100000):
            emit(frame)
    for line in sys.stdin:
        frame = json.loads(line)
        if frame["type"] == "shutdown":
            return
        if frame["type"] == "tool_call" and is_answer:
            for update in itertools.islice(frames(frame), 100000):
                emit(update)
        elif frame["type"] == "tool_call" and frame["name"] != "wait":
            emit(*itertools.islice(before_answer, 1))
            emit({"type": "tool_result", "id": frame["id"], "content": [{"type": "text", "text": "done"}]})


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:
        sys.stderr.close()
