#!/usr/bin/env python3
"""A safety net for the tool bash: what destroys is blocked, what has no timeout gets one."""
from danger import danger
from extline import Decision, Extension, RewritableToolUse, ToolUse

TIMEOUT = 120  # seconds

ext = Extension("guard-python", "1.0.0")


@ext.intercept("tool_call")
def limit(call: RewritableToolUse) -> Decision | None:
    if call.tool == "bash" and "timeout" not in call.args:
        return call.rewrite({**call.args, "timeout": TIMEOUT})
    return None


@ext.guard
def destroys_nothing(call: ToolUse) -> Decision | None:
    # It sees what will run, after every rewrite. What cannot be read raises, and that blocks too.
    if call.tool == "bash" and (reason := danger(call.args["command"])):
        return call.block(f"refused: {reason}")
    return None


if __name__ == "__main__":
    ext.run()
