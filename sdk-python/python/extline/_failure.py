"""An exception that no handler was meant to raise."""

from __future__ import annotations

import sys

from . import _native

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

# A text for the model; the author has the traceback.
_LONGEST = 500


def explain(error: BaseException, what: str) -> str:
    """Shows the author the traceback on stderr; returns a short text for the model."""
    _native.report(f"{what} failed:")
    try:
        # What is given beside the error does not count.
        error.__traceback__ = _own(error)
        sys.__excepthook__(type(error), error, error.__traceback__)
    except Exception as another:
        _native.report(f"its traceback cannot be shown: {type(another).__name__}")
    return f"{what} failed: {_short(error)}"


def _own(error: BaseException) -> TracebackType | None:
    """The traceback without the frames of this package above the author's."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_globals.get("__package__") == "extline":
        trace = trace.tb_next
    return trace if trace is not None else error.__traceback__


def _short(error: BaseException) -> str:
    try:
        text = str(error)
    except Exception:
        text = ""
    if isinstance(error, SystemExit):
        text = f"it called sys.exit({text})"
    else:
        text = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "..."
