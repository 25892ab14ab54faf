"""Which line of an author's a thread is at, when it should have left the handler."""

from __future__ import annotations

import sys

from . import _native

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any

    from ._native import Session

# Whose frames stand above a handler's: the threads and loops that call it.
_ABOVE = ("extline", "threading", "concurrent", "asyncio", "uvloop")


def tell_who_goes_on(threads: list[tuple[int, str]]) -> None:
    """Tells the author of handlers that go on after their calls were cancelled."""
    for thread, name in threads:
        frames = _handlers_frames(sys._current_frames().get(thread))
        if frames:
            _native.report(
                f"{name} was cancelled, by the user, at its deadline or at the end, and goes on "
                f"{_place(frames[0])}: ctx.sleep(...), ctx.track(...) and ctx.raise_if_cancelled() end "
                "it in time; @ext.tool(timeout=SECONDS) has a host wait longer for a tool"
            )
            import traceback

            lines = traceback.StackSummary.extract((one, one.f_lineno) for one in frames).format()
            sys.stderr.write("".join(lines))


def tell_who_keeps_the_loop(session: Session, thread: int) -> None:
    """Tells the author of the handler that keeps the event loop."""
    frames = _handlers_frames(sys._current_frames().get(thread))
    if frames:
        session.log(
            f"{frames[0].f_code.co_name} has kept the event loop for a second {_place(frames[0])}, so "
            "that every other handler waits for it: await what waits, as asyncio.sleep(...) in "
            "place of time.sleep(...), give what computes to asyncio.to_thread(...), or write the "
            "handler without async",
            "warn",
        )


def _place(frame: FrameType) -> str:
    import linecache

    file, line = frame.f_code.co_filename, frame.f_lineno
    text = linecache.getline(file, line).strip()
    return f"at {file}:{line}" + (f", `{text}`" if text else "")


def _handlers_frames(innermost: FrameType | None) -> list[FrameType]:
    frames: list[Any] = []
    while innermost is not None:
        frames.insert(0, innermost)
        innermost = innermost.f_back
    # The program, what runs the handler, and then the handler: what it calls may be above again.
    at = next((nth for nth, one in enumerate(frames) if _is_above(one)), len(frames))
    while at < len(frames) and _is_above(frames[at]):
        at += 1
    return frames[at:]


def _is_above(frame: Any) -> bool:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0] in _ABOVE
