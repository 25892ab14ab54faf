"""An exception that no handler was meant to raise."""

from __future__ import annotations

import sys

from . import _native
from ._config import ConfigError
from ._mistake import HandlerMistake

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Any

# A text for the model; the author has the traceback.
_LONGEST = 500
# As many causes as a model is told of.
_MOST_CAUSES = 8


def explain(error: BaseException, what: str) -> str:
    """Shows the author the traceback on stderr; returns a short text for the model."""
    if isinstance(error, ConfigError):
        # Whoever sets the configuration reads it: its text is whole.
        _native.report(str(error))
        return str(error)
    if isinstance(error, HandlerMistake):
        text = f"{what} failed: {error}"
        _native.report(text)
        return text
    _native.report(f"{what} failed{_advice(error)}:")
    try:
        # What is given beside the error does not count.
        error.__traceback__ = authors_part(error) or error.__traceback__
        sys.__excepthook__(type(error), error, error.__traceback__)
    except Exception as another:
        _native.report(f"its traceback cannot be shown: {type(another).__name__}")
    return f"{what} failed: {_short(error)}{_advice(error)}"


def causes_of(error: BaseException) -> list[str]:
    """What led to an exception, outermost first: the chain of `raise ... from`, and what an
    ExceptionGroup is made of. The first often only says that something failed; why stands behind it."""
    causes: list[str] = []
    seen = {id(error)}

    def behind(one: BaseException) -> None:
        for cause in (*getattr(one, "exceptions", ()), one.__cause__):
            if isinstance(cause, BaseException) and id(cause) not in seen and len(causes) < _MOST_CAUSES:
                seen.add(id(cause))
                causes.append(_short(cause))
                behind(cause)

    try:
        behind(error)
    except Exception:
        # One whose members raise when they are read says no more.
        return causes
    return causes


def explain_all(error: BaseException, what: str) -> str:
    """``explain`` where an answer is one text, as a guard's and a command's are: with what led to it."""
    return with_causes(explain(error, what), error)


def with_causes(text: str, error: BaseException) -> str:
    """A text with what led to the exception, a line each."""
    return "\n".join([text, *(f"caused by: {cause}" for cause in causes_of(error))])


def _advice(error: BaseException) -> str:
    if not isinstance(error, TypeError):
        return ""
    from ._habits import advice_on

    return advice_on(error)


def unsent(error: BaseException, name: str, function: Callable[..., Any]) -> str:
    """The same where a tool returned what is no result. The author's line is that of the tool, as
    nothing of the author's runs by then; unless it does, to make JSON of an object."""
    if authors_part(error) is not None:
        return explain(error, f"tool {name}")
    place = _at(function)
    text = f"tool {name}{place} returned what cannot be sent: {_short(error, named=False)}"
    _native.report(text)
    return text


def no_answer(function: Callable[..., Any], *, is_async: bool = False) -> HandlerMistake:
    """The error of a tool that yielded, and gave no answer."""
    end = 'yield the answer last, `yield ToolResult("")`' if is_async else "end it with `return`"
    empty = "" if is_async else ', `return ""`'
    return HandlerMistake(
        f"its generator{_at(function)} yielded what are updates, and returned no answer: {end}{empty} for an "
        "empty one"
    )


def _at(function: Callable[..., Any]) -> str:
    from ._signature import Place

    where = Place(function).where.removesuffix(": ")
    return f" at {where}" if where else ""


def authors_part(error: BaseException) -> TracebackType | None:
    """The traceback without the frames of this package above the author's; None where all of it is
    this package's."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_globals.get("__package__") == "extline":
        trace = trace.tb_next
    return trace


def _short(error: BaseException, *, named: bool = True) -> str:
    try:
        text = str(error)
    except Exception:
        text = ""
    if isinstance(error, SystemExit):
        text = f"it called sys.exit({text})"
    else:
        text = f"{type(error).__name__}: {text}" if named and text else text or type(error).__name__
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "..."
