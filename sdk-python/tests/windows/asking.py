"""For scripts/test_windows.py: what asks the person, at a console."""

from extline import Context, Extension

ext = Extension("asking", "1.0.0")


@ext.tool
def choose(ctx: Context) -> str:
    """Has one of a list chosen."""
    return str(ctx.ui.select("Where?", ["north", "south", "west"]))


@ext.tool
def hide(ctx: Context) -> str:
    """Asks for what is not shown."""
    return str(ctx.ui.input("Key?", secret=True))


@ext.tool
def write(ctx: Context) -> str:
    """Has a text written."""
    return repr(ctx.ui.editor("Notes?", prefill="draft"))


ext.run()
