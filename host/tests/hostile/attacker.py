#!/usr/bin/env python3
"""Plays one attack of attacks.toml, given as JSON in the first argument's file."""

import json
import os
import signal
import subprocess
import sys
import threading
import time


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        attack = json.load(file)
    write(b'{"type":"hello","name":"attacker","version":"1.0.0"}\n')
    wait_for("hello_ack")
    for step in attack.get("setup", []):
        play(step)
    write(b'{"type":"ready"}\n')
    threading.Thread(target=attack_later, args=[attack.get("later", [])], daemon=True).start()
    # Its stdin is read, so that a host which writes is never what ends it.
    for line in sys.stdin.buffer:
        if b'"shutdown"' in line:
            break
    os._exit(0)


def attack_later(steps):
    for step in steps:
        play(step)


def wait_for(kind):
    for line in sys.stdin.buffer:
        if json.loads(line).get("type") == kind:
            return
    os._exit(0)


def play(step):
    if "act" in step:
        ACTS[step["act"]]()
        return
    number = 0
    while step.get("times", 1) == 0 or number < step.get("times", 1):
        write(line_of(step, number))
        number += 1
        time.sleep(step.get("pause", 0))


def line_of(step, number):
    each, count = step["each"], step.get("count", 1)
    if "{n}" in each or "{next}" in each:
        parts = [each.replace("{n}", str(n)).replace("{next}", str(n + 1)) for n in range(count)]
    else:
        parts = [each] * count
    text = step.get("before", "") + step.get("glue", "").join(parts) + step.get("after", "")
    text = text.replace("{line}", str(number)) + ("" if step.get("open") else "\n")
    return text.encode().decode("unicode_escape").encode("latin-1") if step.get("escaped") else text.encode()


def write(data):
    while data:
        data = data[os.write(1, data) :]


def flood_stderr():
    while True:
        os.write(2, b"x" * 65536)


def leave_children():
    stubborn = "import signal,time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
    for _ in range(50):
        subprocess.Popen([sys.executable, "-S", "-c", stubborn], start_new_session=True)


def stop_itself():
    os.kill(os.getpid(), signal.SIGSTOP)


def kill_group():
    os.kill(0, signal.SIGTERM)


def sleep():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(600)


ACTS = {
    "flood-stderr": flood_stderr,
    "leave-children": leave_children,
    "stop-itself": stop_itself,
    "kill-group": kill_group,
    "sleep": sleep,
    "close-stdout": lambda: os.close(1),
}

main()
