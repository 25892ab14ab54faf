"""``Extension.run``: a program that is nothing but an extension."""

from __future__ import annotations

import os
import sys

from . import _claim, _native

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._extension import Extension


def run(extension: Extension) -> None:
    """Serves in this thread; an exit code other than 0 becomes ``SystemExit``."""
    refuse(extension)
    if (
        _native.is_by_hand()
        and os.environ.get("EXTLINE_STDIO") != "claim"
        and not _native.asks_for_mcp(*sys.argv[1:2])
    ):
        sys.stderr.write(_explanation(extension))
        return
    loaded = sys.modules.get("asyncio")
    if loaded is not None and loaded._get_running_loop() is not None:
        raise RuntimeError("an event loop runs in this thread: `await ext.serve()` serves in it")
    if extension._has_async:
        import asyncio

        from ._asyncio import serve

        def serving() -> int:
            return asyncio.run(serve(extension))
    else:
        from ._serving import Serving

        def serving() -> int:
            return Serving(extension).session.serve()

    try:
        code = serving()
    finally:
        extension._has_ended = True
    if code != 0:
        sys.exit(code)


def refuse(extension: Extension) -> None:
    """Raises RuntimeError where it cannot run, or not alone."""
    if extension._has_ended:
        raise RuntimeError(
            "this extension has run already, and its session is over; one process is one extension"
        )
    if extension._serving is not None:
        raise RuntimeError("this extension runs already; one process is one extension")
    if others := [one.name for one in _claim.of_program if one is not extension]:
        raise RuntimeError(
            f"this program made the extensions {', '.join([extension.name, *others])}, and one process "
            f"is one extension; register what {others[0]} offers on {extension.name}"
        )
    if _is_imported_by_a_test():
        raise RuntimeError(
            "ext.run() was called while a test imports the program: put it at the end of the file, "
            'under if __name__ == "__main__":'
        )


def _is_imported_by_a_test() -> bool:
    """Whether a test runner is below this in the stack, where no host is at the other end."""
    frame = sys._getframe(1) if not _claim.is_claimed() else None
    while frame is not None:
        if frame.f_globals.get("__name__", "").partition(".")[0] in ("_pytest", "unittest"):
            return True
        frame = frame.f_back
    return False


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
