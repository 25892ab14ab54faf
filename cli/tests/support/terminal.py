"""Runs a program in a terminal of its own and drives it as a person would.

terminal.py STEPS PROGRAM ARGS...: STEPS is a JSON list of objects with one member each: `send` types
a text, `expect` waits until a text is there behind the last one that was expected (escape sequences
aside), `touch` makes a file, `signal` sends a signal by its name. Prints a JSON object: `code`, all
`output`, and whether the terminal is as it was at the start (`restored`).
"""

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

SECONDS = 60
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")

terminal, inside = pty.openpty()
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
before = termios.tcgetattr(inside)
program = subprocess.Popen(
    sys.argv[2:],
    stdin=inside,
    stdout=inside,
    stderr=inside,
    start_new_session=True,
    preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
)
output = b""
seen = 0


def text():
    return ESCAPES.sub("", output.decode(errors="replace"))


def read(seconds):
    """Reads what is there, or comes in that time; says whether there was anything."""
    global output
    if not select.select([terminal], [], [], seconds)[0]:
        return False
    output += os.read(terminal, 65536)
    return True


def expect(wanted):
    global seen
    until = time.monotonic() + SECONDS
    while (at := text().find(wanted, seen)) < 0:
        if time.monotonic() > until or (program.poll() is not None and not read(0)):
            program.kill()
            sys.exit(f"{wanted!r} did not come after {text()[:seen]!r}, but {text()[seen:]!r}")
        read(0.05)
    seen = at + len(wanted)


for step in json.loads(sys.argv[1]):
    ((act, what),) = step.items()
    if act == "send":
        os.write(terminal, what.encode())
    elif act == "expect":
        expect(what)
    elif act == "touch":
        open(what, "w").close()
    elif act == "signal":
        program.send_signal(getattr(signal, f"SIG{what}"))

until = time.monotonic() + SECONDS
while program.poll() is None:
    if time.monotonic() > until:
        program.kill()
        sys.exit(f"it does not end: {text()!r}")
    read(0.05)
while read(0):
    pass
after = termios.tcgetattr(inside)
result = {"code": program.returncode, "output": output.decode(errors="replace"), "restored": before == after}
print(json.dumps(result))
