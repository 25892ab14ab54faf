#!/usr/bin/env python3
"""A guard and an interceptor by hand, which do what the command says, and write events into a file."""
import json
import os
import signal
import sys
import time


def say(**frame):
    print(json.dumps(frame), flush=True)


def verdict(args, id):
    what = args.get("command", args.get("path", ""))
    if what == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if what == "hang":
        time.sleep(60)
    if what == "name":
        return {"block": True, "reason": f"it is {id}"}
    if what.startswith("ask"):
        return {"block": True, "ask": True, "reason": "it is grave"}
    if "forbidden" in what:
        return {"block": True, "reason": "REASON"}
    return {}


def rewritten(args):
    what = args.get("command", args.get("path", ""))
    if what in ("rewrite", "ask rewritten"):
        return {"modified_args": {**args, "timeout": 2}}
    if what == "again":
        return {"modified_args": {**args, "edits": args["edits"] * 2}}
    if what == "other":
        return {"modified_args": {**args, "path": "mine"}}
    return {}


def of_prompt(text):
    if text == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if text == "!ls":
        return {"handled": True}
    if text == "a secret":
        return {"replace_text": "a ***"}
    return {"block": True, "reason": "REASON"} if "forbidden" in text else {}


say(type="hello", name="guard", version="1.0.0")
told = ["session_start", "session_end", "user_prompt_submit", "tool_call", "tool_result", "pre_compact"]
say(type="subscribe", events=told, intercept=["tool_call", "user_prompt_submit"], guards=["tool_call"],
    # As the manifest's arguments have it.
    on_failure=dict(word.split("=") for word in sys.argv[1:]))
say(type="ready")
for line in sys.stdin:
    frame = json.loads(line)
    if frame["type"] == "event_intercept":
        args = frame.get("tool_args")
        if frame["event"] == "user_prompt_submit":
            answer = of_prompt(frame["text"])
        else:
            answer = verdict(args, frame.get("tool_id")) if frame.get("phase") == "guard" else rewritten(args)
        say(type="event_intercept_response", id=frame["id"], **answer)
    elif frame["type"] == "event":
        with open("events", "a") as events:
            events.write(line)
    elif frame["type"] == "shutdown":
        break
