"""What the puppet reads, line by line, and what it makes of a line: the mistakes of readers live here."""
import json
import os
import re
import select
import signal
import sys
import time

from puppet_output import LATER, UNWRITTEN, broken, die, write_what_fits

# Readable when a signal came whose handler is Python's.
SIGNALS = None


def hear_signals():
    """Has a signal end a wait for input."""
    global SIGNALS
    SIGNALS, written_by_python = os.pipe()
    os.set_blocking(written_by_python, False)
    signal.set_wakeup_fd(written_by_python, warn_on_full_buffer=False)


def wait_for_input():
    """Until there is something to read. The handler of a signal that comes right before a read would wait
    for the end of the read; Python has written to the pipe by then."""
    while 0 not in select.select([0, SIGNALS], [], [])[0]:
        os.read(SIGNALS, 64)


def lines():
    """Every line of stdin, without its LF."""
    rest = b""
    first = True
    while True:
        while broken("spins") and not select.select([0], [], [], 0)[0]:
            pass
        if broken("ends-by-itself") and not select.select([0], [], [], 0)[0]:
            sys.exit(0)
        while LATER:
            wait = min(due for due, _ in LATER) - time.monotonic()
            ready = wait > 0 and select.select([0], [], [], wait)[0]
            # What is due comes before what has come meanwhile: both may have, where it got no time.
            now = time.monotonic()
            due = [act for at, act in LATER if at <= now]
            LATER[:] = [one for one in LATER if one[0] > now]
            for act in due:
                act()
            if ready:
                break
        if broken("half-line-expires") and rest and not select.select([0], [], [], 1)[0]:
            rest = b""
        if broken("impatient") and first and not select.select([0], [], [], 2)[0]:
            sys.exit(0)
        if UNWRITTEN:
            write_what_fits()
        wait_for_input()
        chunk = os.read(0, 1 << 20)
        if broken("escape-cut") and chunk.endswith(b"\\"):
            chunk = chunk[:-1]
            if not chunk:
                continue
        if not chunk:
            return
        if broken("chunk-decode"):
            chunk = chunk.decode("utf-8", "replace").encode()
        if broken("first-read-is-ack") and first:
            first = False
            yield chunk.split(b"\n")[0]
            continue
        first = False
        if broken("cancel-drops") and b'"tool_cancel"' in chunk:
            chunk = b"\n".join(line for line in chunk.split(b"\n") if b'"tool_call"' not in line)
        if broken("reads-are-lines"):
            yield chunk.rstrip(b"\n")
            continue
        if broken("small-buffer") and len(chunk) > 1 << 16:
            die()
        rest += chunk
        *whole, rest = rest.split(b"\n")
        if broken("first-line-only"):
            whole = whole[:1]
        if broken("one-read") and len(rest) < 60_000:
            rest = b""
        if broken("forgets"):
            whole = whole[:60]
        for line in whole:
            if broken("splitlines"):
                yield from (part.encode() for part in line.decode("utf-8", "replace").splitlines())
            elif broken("splits-at-cr"):
                yield from line.split(b"\r")
            else:
                yield line


def pairs(members):
    if broken("duplicate-dies") and len({name for name, _ in members}) < len(members):
        die()
    if broken("two-ids-die") and [name for name, _ in members].count("id") > 1:
        die()
    if broken("first-id"):
        members = [one for at, one in enumerate(members) if one[0] != "id" or one[0] not in dict(members[:at])]
    return dict(members)


def constant(name):
    if broken("nan-dies"):
        die()
    raise ValueError(name)


def number(text):
    if broken("infinite-dies") and float(text) in (float("inf"), float("-inf")):
        die()
    return float(text)


def parse(line):
    """The frame of a line, or None when it is none."""
    for name, limit in (("limit-64k", 65_536), ("limit-500k", 500_000), ("limit-2m", 2_000_000),
                        ("limit-4m", 4_194_303)):
        if broken(name) and len(line) > limit:
            die()
    if line.endswith(b"\r") and broken("no-cr"):
        return None
    if line[:1].isspace() and line.strip() and broken("no-strip"):
        return None
    if not line.strip():
        if broken("blank-dies"):
            die()
        return None
    if broken("type-in-text") and b'"shutdown' in line.replace(b"\\", b""):
        return {"type": "shutdown"}
    if broken("first-type") or broken("last-type"):
        types = re.findall(rb'"type": *"([^"]*)"', line)
        if b"shutdown" in (types[:1] if broken("first-type") else types[-1:]):
            return {"type": "shutdown"}
    if broken("type-first") and not line.lstrip().startswith(b'{"type"'):
        return None
    if broken("strict-utf8"):
        try:
            line.decode()
        except UnicodeDecodeError:
            die()
    text = line.decode("utf-8", "replace")
    if text.startswith("\ufeff"):
        if broken("bom-line-dropped"):
            return None
        text = text[1:]
        if not text.strip() and not broken("json-dies"):
            return None
    try:
        frame = json.loads(text, object_pairs_hook=pairs, parse_constant=constant,
                           parse_float=number)
    except RecursionError:
        if broken("depth-dies"):
            die()
        return None
    except ValueError as error:
        if "digits" in str(error):
            if broken("digits-dies"):
                die()
        elif broken("json-dies") and isinstance(error, json.JSONDecodeError):
            die()
        return None
    if broken("null-dies") and frame is None or broken("array-dies") and isinstance(frame, list):
        die()
    if not isinstance(frame, dict):
        return None
    if broken("surrogate-dies") and any("\ud800" <= letter <= "\udfff" for letter in str(frame.get("x"))):
        die()
    if not isinstance(frame.get("type"), str):
        if broken("type-dies"):
            die()
        return None
    if broken("array-limit") and any(isinstance(v, list) and len(v) > 10_000 for v in frame.values()):
        die()
    return frame
