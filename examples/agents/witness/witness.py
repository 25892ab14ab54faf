#!/usr/bin/env python3
"""One of each, to see what an agent does with it. Events go into a file of the extension's data folder."""

import json
import os
from pathlib import Path

from extline import Context, Decision, Extension, GuardedToolUse, RewritableToolUse, UserPrompt, events

ext = Extension("witness", "1.0.0")


@ext.tool
def testify(what: str) -> str:
    """Say what was seen."""
    return f"testified {what}"


@ext.tool
def consult(ctx: Context, what: str) -> str:
    """Ask the person whether it was so."""
    return f"the person says {ctx.ui.confirm(f'Was it {what}?')}"


@ext.command
def oath(args: str) -> str:
    """Take an oath."""
    return f"I swear {args}"


@ext.intercept("tool_call")
def corrects(call: RewritableToolUse) -> Decision | None:
    if call.tool == "bash" and "original" in call.args.get("command", ""):
        return call.rewrite({**call.args, "command": "echo rewritten"})
    return None


@ext.guard
def forbids(call: GuardedToolUse) -> Decision | None:
    args = json.dumps(call.args)
    if "forbidden" in args:
        return call.block("the witness forbids it")
    if "questioned" in args:
        return call.ask("the witness wants it to be looked at")
    return None


@ext.intercept("user_prompt_submit")
def refuses(prompt: UserPrompt) -> Decision | None:
    return prompt.block("the witness will not hear it") if "unspeakable" in prompt.text else None


def note(ctx: Context, **told: object) -> None:
    path = Path(ctx.data_dir, "told.jsonl")
    with path.open("a") as file:
        file.write(json.dumps({**told, "pid": os.getpid()}) + "\n")


@ext.on("session_start")
def started(event: events.SessionStart, ctx: Context) -> None:
    note(ctx, event="session_start")


@ext.on("user_prompt_submit")
def asked(event: events.UserPromptSubmit, ctx: Context) -> None:
    note(ctx, event="user_prompt_submit", text=event.text)


@ext.on("tool_result")
def ended(event: events.ToolResult, ctx: Context) -> None:
    note(ctx, event="tool_result", tool=event.tool_name, status=event.status)


if __name__ == "__main__":
    ext.run()
