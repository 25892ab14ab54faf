"""The commands."""
from extline import Panel, Response
from memory import MESSAGE, hold, kit
import panel


@kit.command("echo", "shows its arguments", usage="TEXT")
def echo(args):
    return Response.display(args)


@kit.command("action", "answers with each action", usage="NAME")
def action(name):
    actions = {
        "prompt": Response.prompt("a text"),
        "insert": Response.insert("a text"),
        "display": Response.display("a text"),
        "noop": Response.noop(),
        "tool_prompt": Response.tool_prompt("text", {"text": "a"}, "a text"),
    }
    return actions.get(name, Response.error("there is no such action"))


@kit.command("fail", "fails")
def fail(args):
    raise ValueError(MESSAGE)


@kit.command("panic", "fails badly")
def panic(args):
    raise SystemExit(MESSAGE)


@kit.command("hold", "waits until its name is released", usage="NAME")
def hold_command(name, ctx):
    return Response.display(hold(name, ctx))


@kit.command("panel", "opens the panel", usage="TITLE")
def open_panel(title):
    panel.typed.clear()
    return Response.open_panel(Panel(panel.ID, title=title, lines=[""], footer="type"))
