"""``Extension.run``: a program that is nothing but an extension."""

from __future__ import annotations

import os
import sys

from . import _native

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._extension import Extension


def run(extension: Extension) -> None:
    """Serves in this thread; an exit code other than 0 becomes ``SystemExit``."""
    if extension._serving is not None:
        raise RuntimeError("this extension runs already; one process is one extension")
    if _native.is_by_hand() and os.environ.get("EXTLINE_STDIO") != "claim":
        sys.stderr.write(_explanation(extension))
        return
    loaded = sys.modules.get("asyncio")
    if loaded is not None and loaded._get_running_loop() is not None:
        raise RuntimeError("an event loop runs in this thread: `await ext.serve()` serves in it")
    if extension._has_async:
        import asyncio

        from ._asyncio import serve

        code = asyncio.run(serve(extension))
    else:
        from ._serving import Serving

        code = Serving(extension).session.serve()
    if code != 0:
        sys.exit(code)


def _explanation(extension: Extension) -> str:
    program = sys.argv[0] or "FILE"
    tries = [
        "extline run DIR        a console with its commands and tools",
        "extline inspect DIR    what it offers",
    ]
    tools = [name for kind, name in extension._where if kind == "tool"]
    if tools:
        tries.append(f"extline call DIR {tools[0]} '{{...}}'")
    if extension._commands:
        tries.append(f"extline command DIR {next(iter(extension._commands))}")
    lines = "\n  ".join(tries)
    return (
        f"{extension.name} {extension.version} is an extension for a coding agent. It talks with "
        f"its host over stdin and\nstdout, so there is nothing to see when it is started by hand. "
        f"To try it:\n\n  {lines}\n\n"
        f"DIR is the folder with its extension.json; in its place `-- python3 {program}` starts "
        "this very\nprogram. To type frames yourself, set EXTLINE_STDIO=claim.\n"
    )
