"""An extension for scripts/test_windows.py: what it prints in the ways of Python must not reach the wire.

With the argument `async` its handlers are tasks of asyncio's.
"""

import asyncio
import os
import sys
import time

from extline import Context, Extension

print("at the import")
ext = Extension("probe", "1.0.0")


def printed() -> str:
    print("no line end", end="", flush=True)
    os.write(1, b"by the descriptor")
    print("from print", flush=True)
    # It would take a frame away if it got hold of the wire.
    os.system("echo from a child& set /p line=")
    return "printed"


def kept(ctx: Context) -> str:
    """Keeps the thread until it is cancelled, for ten seconds at most."""
    ctx.update("begun")
    until = time.monotonic() + 10
    while not ctx.cancelled and time.monotonic() < until:
        pass
    return "cancelled" if ctx.cancelled else "nobody cancelled it"


if sys.argv[1:] == ["async"]:

    @ext.tool
    async def echo(text: str) -> str:
        """Says it again."""
        await asyncio.sleep(0)
        return text

    @ext.tool
    async def big(amount: int) -> str:
        """Gives many bytes."""
        return "x" * amount

    @ext.tool
    async def stray() -> str:
        """Prints."""
        return printed()

    @ext.tool
    async def keep(ctx: Context) -> str:
        """Keeps the loop."""
        return kept(ctx)

else:

    @ext.tool
    def echo(text: str) -> str:
        """Says it again."""
        return text

    @ext.tool
    def big(amount: int) -> str:
        """Gives many bytes."""
        return "x" * amount

    @ext.tool
    def stray() -> str:
        """Prints."""
        return printed()

    @ext.tool
    def keep(ctx: Context) -> str:
        """Keeps the thread."""
        return kept(ctx)


ext.run()
