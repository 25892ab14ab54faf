#!/usr/bin/env python3
"""An extension that is asked before things happen, in plain Python, for the tests of the host.

Arguments: its name, a journal that several of them may share, and a JSON object with

    subscribe  what it subscribes to, as in the frame
    intercept  what it does when its interceptor is asked (see `respond`)
    guard      what it does when its guard is asked
    schema     the schema of a tool `run`, which answers with its arguments; absent: no tool

The journal gets one JSON line for every question, call and event, in the order in which they came.
"""

import json
import sys

name, journal, config = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
held = []


def emit(**frame):
    sys.stdout.write(json.dumps(frame) + "\n")
    sys.stdout.flush()


def note(what, line, frame):
    with open(journal, "a") as file:
        file.write(json.dumps({"by": name, "what": what, "frame": frame, "line": line}) + "\n")


def respond(frame):
    """Does what the config says for the phase: nothing, or one of
    {"answer": {...}}   these fields
    {"append": "x"}     puts x behind args.command
    {"args_text": "x"}  the text x as modified_args
    {"cut": "x"}        replaces x by *** in all that a tool's result says
    {"do": "hang"}      never answers
    {"do": "exit"}      ends with status 3
    {"do": "pair"}      waits for a second question, then answers the second one first, and puts
                        the tool_id of each into its args

    With {"only": "x"} it does so for that tool alone.
    """
    rule = config.get(frame["phase"], {})
    if rule.get("only", frame.get("tool_name")) != frame.get("tool_name"):
        answer(frame)
        return
    do = rule.get("do")
    if do == "exit":
        sys.exit(3)
    if do == "hang":
        return
    if do == "pair":
        held.append(frame)
        if len(held) == 2:
            for question in reversed(held):
                args = {**question["tool_args"], "tool_id": question["tool_id"]}
                answer(question, modified_args=args)
            held.clear()
        return
    if "args_text" in rule:
        head = json.dumps({"type": "event_intercept_response", "id": frame["id"]})[:-1]
        print(f'{head}, "modified_args": {rule["args_text"]}}}', flush=True)
        return
    if "cut" in rule:
        result = frame["result"]
        names = [name for name in ("content", "structured_content", "details") if name in result]
        whole = json.dumps({name: result[name] for name in names})
        replaced = json.loads(whole.replace(rule["cut"], "***"))
        answer(frame, replace_result=replaced)
        return
    if "append" in rule:
        args = frame["tool_args"]
        answer(frame, modified_args={**args, "command": args["command"] + rule["append"]})
        return
    answer(frame, **rule.get("answer", {}))


def answer(frame, **fields):
    emit(type="event_intercept_response", id=frame["id"], **fields)


def run(call):
    block = {"type": "text", "text": json.dumps(call["args"], sort_keys=True)}
    emit(type="tool_result", id=call["id"], content=[block])


emit(type="hello", name=name, version="1.0.0", capabilities=["tools", "events"])
if "schema" in config:
    emit(type="register_tool", name="run", description="runs", schema=config["schema"])
emit(type="subscribe", **config.get("subscribe", {}))
emit(type="ready")
for line in sys.stdin:
    frame = json.loads(line)
    if frame["type"] == "event_intercept":
        note(frame["phase"], line, frame)
        respond(frame)
    elif frame["type"] == "tool_call":
        note("run", line, frame)
        run(frame)
    elif frame["type"] == "event":
        note(frame["event"], line, frame)
    elif frame["type"] == "shutdown":
        break
