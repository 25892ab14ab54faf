"""An extension that is right but for one flood: `flood.py WHAT`."""
import json
import os
import sys
import threading

WHAT = sys.argv[1]


def write(data, descriptor=1):
    while data:
        data = data[os.write(descriptor, data):]


def emit(frame):
    write(json.dumps(frame).encode() + b"\n")


def flood(piece, descriptor=1):
    while True:
        write(piece, descriptor)


if WHAT == "stderr":
    threading.Thread(target=flood, args=(b"e" * 99 + b"\n", 2), daemon=True).start()
    threading.Thread(target=flood, args=((b"e" * 99 + b"\n") * 1000, 2), daemon=True).start()
emit({"type": "hello", "name": "flood", "version": "1", "capabilities": ["tools"]})
for line in sys.stdin.buffer:
    try:
        frame = json.loads(line)
        kind, call = frame["type"], frame.get("id")
    except (ValueError, KeyError, TypeError, RecursionError):
        continue
    if kind == "hello_ack":
        emit({"type": "register_tool", "name": "t", "description": "", "schema": {"type": "object"}})
        emit({"type": "ready"})
        if WHAT == "junk":
            flood(b"y\n" * 1000)
        if WHAT == "frames":
            flood(b'{"type":"log","level":"info","message":"x"}\n' * 1000)
        if WHAT == "one line":
            flood(b"x" * 65536)
        if WHAT == "objects":
            flood(b'{"type":"log","level":"info","message":"x","a":[' + b'{"":0},' * 500_000 + b"0]}\n")
        if WHAT == "tools":
            flood(b'{"type":"register_tool","name":"' + b"!" * 3_900_000 + b'","description":"","schema":{}}\n')
    elif kind == "tool_call" and isinstance(call, str) and call:
        text = [{"type": "text", "text": "there is no such tool"}]
        emit({"type": "tool_result", "id": call, "content": text, "is_error": True})
    elif kind == "shutdown":
        break
