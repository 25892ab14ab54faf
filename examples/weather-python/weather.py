#!/usr/bin/env python3
from typing import Literal
from extline import Context, Decision, Extension, Response, ToolError, ToolUse

ext = Extension("weather", "1.0.0")

@ext.tool                                     # @ext.tool and @ext.tool(...) both work
def weather(city: str, units: Literal["c", "f"] = "c", *, ctx: Context) -> str:
    """Current weather for a city.

    city: City name
    """
    ctx.update(f"asking for {city}", done=1, total=2)
    if city == "Atlantis":
        raise ToolError.not_found("no such city", field="/city", hint="try a city that exists")
    return f"{city}: 16°C, fog"

@ext.command("weather", "current weather for a city")
def weather_command(args: str) -> Response:
    return Response.prompt(f"Show today's weather for {args} in one line.")   # a str displays it, None: noop

@ext.guard                                    # may only block, fails closed
def no_rm(call: ToolUse) -> Decision | None:
    if call.tool == "bash" and "rm -rf" in call.args.get("command", ""):
        return call.block("refused: rm -rf")
    return None

if __name__ == "__main__":
    ext.run()
