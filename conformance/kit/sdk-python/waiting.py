"""Tools that take their time, and tell of it."""
import itertools
import time

from extline import ToolResult
from memory import hold as hold_until_released
from memory import labels, released, tool, until

NONE = '{"type":"object","properties":{}}'
NAME = '{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}'
COUNT = '{"type":"object","properties":{"count":{"type":"integer","minimum":0}},"required":["count"]}'
TIME = '{"type":"object","properties":{"ms":{"type":"integer","minimum":0}},"required":["ms"]}'
UPDATES = '{"type":"object","properties":{"n":{"type":"integer","minimum":0},"ms":{"type":"integer","minimum":0}},"required":["n","ms"]}'
NOTES = '{"type":"object","properties":{"n":{"type":"integer","minimum":0}},"required":["n"]}'
LOG = '{"type":"object","properties":{"level":{"enum":["info","warn","error"]},"message":{"type":"string"}},"required":["level","message"]}'

calls = itertools.count(1)


@tool("hold", "Waits until its name is released.", NAME)
def hold(name, ctx):
    return hold_until_released(name, ctx)


@tool("release", "Lets what holds a name go on.", NAME)
def release(name):
    released.add(name)
    return "released"


@tool("counter", "Counts its calls.", NONE)
def counter():
    return str(next(calls))


@tool("order", "Tells in which order events came.", COUNT)
def order(count, ctx):
    until(lambda: len(labels) >= count, ctx)
    told = labels[:]
    del labels[: len(told)]
    return ToolResult(structured=told)


@tool("sleep", "Waits for a while.", TIME)
def sleep(ms, ctx):
    ctx.sleep(ms / 1000)
    return "slept"


@tool("await_cancel", "Waits for its cancel.", NONE)
def await_cancel(ctx):
    ctx.update("waiting")
    until(lambda: False, ctx)


@tool("busy", "Computes until it is cancelled.", TIME)
def busy(ms, ctx):
    end = time.monotonic() + ms / 1000
    while time.monotonic() < end and not ctx.cancelled:
        pass
    return f"cancelled: {str(ctx.cancelled).lower()}"


@tool("updates", "Tells how far it is.", UPDATES)
def updates(n, ms, ctx):
    for i in range(1, n + 1):
        ctx.update(f"step {i}", done=i, total=n)
        ctx.sleep(ms / 1000)
    return "done"


@tool("notify_then", "Writes notes, then answers.", NOTES)
def notify_then(n, ctx):
    for i in range(1, n + 1):
        ctx.notify(f"note {i}")
    return "done"


@tool("log", "Writes a log line.", LOG)
def log(level, message, ctx):
    ctx.log(message, level=level)
    return "logged"
