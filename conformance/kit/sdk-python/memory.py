"""The extension, and what it remembers from one call to the next."""
import json

from extline import Extension

# What everything says that fails because it was asked to.
MESSAGE = "it was to fail"

kit = Extension("extline-kit", "1.0.0", max_threads=64)

released = set()  # names that are held no longer
labels = []  # of the events since `order` asked last
children = []  # their stdin is open for as long as they are kept


def tool(name, description, schema, **declares):
    """A tool whose schema is the text that the surface has."""
    return kit.tool(name=name, description=description, schema=json.loads(schema), **declares)


def until(holds, ctx):
    """Waits until that is true of what is remembered, or the call is cancelled."""
    while not holds():
        ctx.sleep(0.002)


def hold(name, ctx):
    until(lambda: name in released, ctx)
    return f"held {name}"
