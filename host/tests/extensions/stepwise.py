#!/usr/bin/env python3
"""A guard whose start goes step by step, in plain Python, for the tests of the host.

Argument: a JSON object with

    starts   what the first process does, the second, and so on; the last one again and again
    counter  a file that counts the processes
    heard    a file for the events that come, a line each; unsaid, nobody keeps them

What a process does is a list of steps: a frame, the text of a line, a number of seconds to wait,
{"until": "a file that is there"} or {"exit": 3}. When it has done all it answers intercepts until its
stdin ends: it blocks a call whose args have `forbidden`.
"""

import json
import os
import sys
import time

config = json.loads(sys.argv[1])
with open(config["counter"], "a") as file:
    file.write("x")
    file.flush()
    before = os.fstat(file.fileno()).st_size - 1
starts = config["starts"]

for step in starts[min(before, len(starts) - 1)]:
    if isinstance(step, (int, float)):
        time.sleep(step)
    elif isinstance(step, str):
        print(step, flush=True)
    elif "until" in step:
        while not os.path.exists(step["until"]):
            time.sleep(0.01)
    elif "exit" in step:
        sys.exit(step["exit"])
    else:
        print(json.dumps(step), flush=True)

for line in sys.stdin:
    frame = json.loads(line)
    if frame["type"] == "event" and "heard" in config:
        with open(config["heard"], "a") as file:
            file.write(line)
    if frame["type"] == "event_intercept":
        answer = {"type": "event_intercept_response", "id": frame["id"]}
        if frame["phase"] == "guard" and frame["tool_args"].get("forbidden"):
            answer.update(block=True, reason="forbidden")
        print(json.dumps(answer), flush=True)
    elif frame["type"] == "shutdown":
        break
