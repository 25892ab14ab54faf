"""An extension that ignores SIGTERM and the end of stdin, and has a child in a session of its own.

It writes both numbers to the file that it is given, the child's first.
"""
import json
import os
import signal
import subprocess
import sys
import time

signal.signal(signal.SIGTERM, signal.SIG_IGN)
STUBBORN = len(sys.argv) < 3
CHILD = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"


def emit(frame):
    print(json.dumps(frame), flush=True)


child = subprocess.Popen([sys.executable, "-c", CHILD], stdin=subprocess.DEVNULL,
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                         start_new_session=True)
with open(sys.argv[1], "a") as file:
    file.write(f"{child.pid} {os.getpid()}\n")
emit({"type": "hello", "name": "stubborn", "version": "1", "capabilities": ["tools"]})
for line in sys.stdin:
    frame = json.loads(line)
    if frame["type"] == "hello_ack":
        emit({"type": "ready"})
    elif frame["type"] == "tool_call":
        text = [{"type": "text", "text": "there is no such tool"}]
        emit({"type": "tool_result", "id": frame["id"], "content": text, "is_error": True})
    elif frame["type"] == "shutdown" and not STUBBORN:
        break
while STUBBORN:
    time.sleep(60)
