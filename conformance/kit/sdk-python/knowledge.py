"""What the kit knows of its call, and what a tool can declare."""
import time

from memory import tool

NONE = '{"type":"object","properties":{}}'
ASK = '{"type":"object","properties":{"name":{"type":"string"},"args":{"type":"object"}},"required":["name","args"]}'
REQUEST = '{"type":"object","properties":{"method":{"type":"string"},"params":{"type":"object"}},"required":["method","params"]}'
CONFIRM = '{"type":"object","properties":{"title":{"type":"string"}},"required":["title"]}'
PROPOSE = '{"type":"object","properties":{"label":{"type":"string"}},"required":["label"]}'
LONGEST = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"


@tool("report", "Tells what it knows of its call and its host.", NONE)
def report(ctx):
    host = ctx.host
    return {
        "call_id": ctx.call_id,
        "host": host.name,
        "host_version": host.version,
        "model": host.model,
        "cwd": host.cwd,
        "data_dir": str(ctx.data_dir or ""),
        "deadline": ctx.deadline is not None,
        "tool_update": host.supports("tool_update"),
        "call_tool": host.supports("call_tool"),
    }


@tool("config", "Gives its configuration back.", NONE)
def config(ctx):
    return ctx.config


@tool("ask", "Calls a tool of the host.", ASK)
def ask(name, args, ctx):
    return ctx.call_tool(name, **args).text


@tool("request", "Asks the host by method.", REQUEST)
def request(method, params, ctx):
    parts = []
    result = ctx.request(method, params, on_part=parts.append)
    return {"parts": parts, "result": result}


@tool("confirm", "Asks the person.", CONFIRM)
def confirm(title, ctx):
    said = "yes" if ctx.ui.confirm(title) else "no"
    is_late = ctx.deadline is not None and time.monotonic() > ctx.deadline
    return said + " too late" if is_late else said


@tool("propose", "Proposes an action.", PROPOSE)
def propose(label, ctx):
    def apply(reason):
        if reason == "fail":
            raise RuntimeError("it was to fail")
        return f"done {label}: {reason}"

    return "proposed " + ctx.pending.push(label, apply=apply, reject=lambda reason: f"dropped {label}: {reason}")


paid = []  # the keys of the calls that it has done


@tool("pay", "Tells what it has done.", NONE, replay="reconcile")
def pay(ctx):
    key = ctx.operation_key or ""
    if ctx.reconcile:
        return {"state": "completed" if paid[-1:] == [key] else "not_started"}
    paid.append(key)
    return {"key": key, "paid": len(paid)}


@tool(
    "declared",
    "Declares all that a tool can declare.",
    NONE,
    label="Declared",
    timeout=20,
    read_only=True,
    destructive=False,
    idempotent=True,
    open_world=False,
    sequential=True,
    approval={"gated": True, "tier": "read", "key": "all", "reason": "it is a test"},
)
def declared():
    return "declared"


@tool(LONGEST, "Has the longest name, with every character that a name may have.", NONE)
def named():
    return "named"
