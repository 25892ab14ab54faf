"""Read by type checkers alone: each line that says so is an error to them, and no other is."""

from dataclasses import dataclass

from extline import Context, Decision, Extension, Message, Response, RewritableToolUse, ToolUse, events

ext = Extension("typed", "1.0.0")


@dataclass
class Weather:
    celsius: float


@ext.tool
def weather(city: str, *, ctx: Context) -> Weather:
    ctx.log("asked", level="loud")  # error: Argument
    return Weather(len(city))


# A tool stays the function that it is.
weather(5)  # error: weather


@ext.tool(exposure="hidden")  # error: overload
def hidden() -> None: ...


@ext.tool(approval={"tier": "nuclear"})  # error: overload
def deploy() -> None: ...


@ext.tool(outputs=("labeled", "xml"))  # error: outputs
def find() -> None: ...


@ext.tool(outputs=["labeled"], preference={"weight": 1, "enabled": "no"})  # error: overload
def rare() -> None: ...


@ext.tool(gated=lambda args: {"reason": args["path"], "details": ["a line"]})
def wipe(path: str) -> None: ...


@ext.tool(gated=lambda args: "yes")  # error: gated
def wipe_all() -> None: ...


@ext.on("turn_ended")  # error: overload
def misspelt() -> None: ...


@ext.on("turn_end")
def ended(event: events.TurnEnd, ctx: Context) -> None:
    ctx.notify(f"{event.stop} {event.session_id}")
    print(event.nonsense)  # error: nonsense


@ext.on("tool_call")  # error: Decision
def event_decides(event: events.ToolCall) -> Decision:
    return Decision()


@ext.guard
def careful(call: ToolUse) -> Decision | None:
    if call.tool == "bash":
        return call.block("no")
    return call.rewrite({})  # error: rewrite


@ext.guard
async def with_context(call: ToolUse, *, ctx: Context) -> Decision | None:
    await ctx.sleep(0.1)
    return call.allow()


@ext.guard  # error: bool
def says_true(call: ToolUse) -> bool:
    return call.tool != "bash"


@ext.guard(name="x", on_failure="ask")  # error: guard
def asks(call: ToolUse) -> Decision | None:
    return None


@ext.intercept("tool_call")
def limit(call: RewritableToolUse) -> Decision | None:
    return call.rewrite({**call.args, "timeout": 5})


@ext.intercept("assistant_message")  # error: RewritableToolUse
def of_another_point(call: RewritableToolUse) -> Decision | None:
    return None


@ext.intercept("assistant_message")
def polite(message: Message, ctx: Context) -> Decision | None:
    message.rewrite({})  # error: rewrite
    return message.replace(message.text)


@ext.command("report")
def report(args: str) -> Response:
    return Response.prompt(args)


@ext.command  # error: int
def number(args: str) -> int:
    return len(args)
