"""Names that authors know from elsewhere, and what stands in their place here."""

from __future__ import annotations

_LOG = "ctx.log({!r}, level={!r}) writes to the log, ctx.notify(text) tells the user"
_OF_CONTEXT = {
    "debug": _LOG.format("text", "debug"),
    "info": _LOG.format("text", "info"),
    "warning": _LOG.format("text", "warn"),
    "error": _LOG.format("text", "error") + "; a call fails by raise ToolError(text)",
    "report_progress": 'ctx.update("reading", done=1, total=10), or for item in ctx.track(items)',
    "request_id": "ctx.call_id",
    "session_id": "ctx.session, which is (id, generation) or None",
    "is_cancelled": "ctx.cancelled",
    "signal": "ctx.cancelled and ctx.raise_if_cancelled()",
    "cwd": "ctx.host.cwd",
    "elicit": 'ctx.ui.confirm(title), ctx.ui.select(title, options) or ctx.ui.input(title)',
    "sample": 'ctx.request(method, params) asks the host for what it serves: ctx.host.serves("...")',
    "read_resource": 'ctx.call_tool("read", path=...)',
}
_OF_EXTENSION = {
    "prompt": "@ext.command(name), whose function returns Response.prompt(text)",
    "resource": "@ext.tool(read_only=True)",
    "add_tool": "ext.tool(function)",
    "add_middleware": '@ext.guard, or @ext.intercept("tool_call")',
    "middleware": '@ext.guard, or @ext.intercept("tool_call")',
    "event": '@ext.on("turn_end")',
    "interceptor": '@ext.intercept("tool_call")',
    "start": "ext.run()",
    "main": "ext.run()",
    "startup": "@ext.setup",
    "shutdown": "@ext.teardown",
    "lifespan": "@ext.setup and @ext.teardown",
}


def of_context(name: str) -> AttributeError:
    """The error for a name that a context does not have."""
    return _error("a ctx", name, _OF_CONTEXT)


def of_extension(name: str) -> AttributeError:
    """The error for a name that an extension does not have."""
    return _error("an Extension", name, _OF_EXTENSION)


def _error(whose: str, name: str, instead: dict[str, str]) -> AttributeError:
    advice = instead.get(name)
    return AttributeError(f"{whose} has no {name!r}" + (f": write {advice}" if advice else ""))


def advice_on(error: BaseException) -> str:
    """What to add to the text of an exception that such a habit raised."""
    text = str(error)
    if not isinstance(error, TypeError) or "NoneType" not in text or "await" not in text:
        return ""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return ""
    import linecache

    line = linecache.getline(trace.tb_frame.f_code.co_filename, trace.tb_lineno).strip()
    called = next((one for one in ("update", "log", "notify", "submit") if f".{one}(" in line), None)
    return f" (ctx.{called}(...) waits for nothing: call it without await)" if called else ""
