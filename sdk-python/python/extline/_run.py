"""``Extension.run``: a program that is nothing but an extension."""

from __future__ import annotations

import sys

from . import _claim

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._extension import Extension


def run(extension: Extension) -> None:
    """Serves in this thread; an exit code other than 0 becomes ``SystemExit``."""
    refuse(extension)
    program = f"python3 {sys.argv[0] or 'FILE'}"
    if extension._registrations.is_tried(
        extension.name, extension.version, program, *sys.argv[1:2]
    ):
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
