"""For scripts/test_windows.py: the modules for tests and for models, as an author and an agent use them."""

import asyncio

from extline import Context, Decision, Extension, Response, ToolError, ToolUse
from extline.model import extract, repair
from extline.testing import AsyncHost, Failure, Host


def extension(is_async: bool) -> Extension:
    ext = Extension("weather", "1.0.0")

    def answered(city: str) -> str:
        if city == "Atlantis":
            raise ToolError.not_found("no such city", field="/city")
        return f"{city}: fog"

    if is_async:

        @ext.tool
        async def weather(city: str) -> str:
            """Weather of a city."""
            await asyncio.sleep(0)
            return answered(city)

        @ext.tool
        async def trip(ctx: Context) -> str:
            """What to pack."""
            return (await ctx.call_tool("forecast", day="tomorrow")).text

    else:

        @ext.tool
        def weather(city: str) -> str:
            """Weather of a city."""
            return answered(city)

        @ext.tool
        def trip(ctx: Context) -> str:
            """What to pack."""
            return ctx.call_tool("forecast", day="tomorrow").text

    @ext.tool
    def large(amount: int) -> str:
        """More than a pipe and a socket hold."""
        return "x" * amount

    @ext.tool
    def wait(ctx: Context) -> str:
        """Waits until it is cancelled."""
        ctx.update("begun")
        ctx.sleep(60)
        return "nobody cancelled it"

    @ext.command("weather", "weather of a city")
    def show(args: str) -> Response:
        return Response.prompt(f"Show {args}.")

    @ext.guard
    def no_rm(call: ToolUse) -> Decision | None:
        return call.block("refused") if "rm -rf" in call.args.get("command", "") else None

    return ext


def play(is_async: bool) -> None:
    with Host(extension(is_async), tools={"forecast": lambda day: f"{day}: rain"}) as host:
        assert host.call("weather", city="Berlin").text == "Berlin: fog"
        answer = host.call("weather", city="Atlantis")
        assert (answer.is_error, answer.kind, answer.field) == (True, "not_found", "/city")
        assert host.call("weather", city=7).kind == "validation"
        assert host.call("trip").text == "tomorrow: rain"
        assert len(host.call("large", amount=300_000).text) == 300_000
        call = host.begin("wait")
        assert host.next_update(call)["progress"]["message"] == "begun"
        host.cancel(call)
        assert host.finish(call).kind == "cancelled"
        assert host.command("weather", "Rome") == Response.prompt("Show Rome.")
        ruling = host.intercept("tool_call", tool="bash", args={"command": "rm -rf /"})
        assert ruling.blocked == "refused"
        assert host.shutdown() == 0
    with Host(extension(is_async)) as host:
        try:
            host.call("none")
        except Failure:
            pass
        else:
            raise AssertionError("a tool that is not there was called")


async def two_at_a_time() -> list[str]:
    async with AsyncHost(extension(True)) as host:
        answers = await asyncio.gather(*[host.call("weather", city=city) for city in ("Rome", "Bonn")])
        return [answer.text for answer in answers]


for is_async in (False, True):
    play(is_async)
assert asyncio.run(two_at_a_time()) == ["Rome: fog", "Bonn: fog"]
assert repair("{'path': 'a.txt', lines: [1, 2,],}").value == {"path": "a.txt", "lines": [1, 2]}
found = extract('<tool_call>{"name": "rain", "arguments": {"city": "Rome"}}</tool_call>', ["rain"])
assert [call.name for call in found.calls] == ["rain"]
print("modules are well")
