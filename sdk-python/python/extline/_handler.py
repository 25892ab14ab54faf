"""A handler of an author's that is no tool: what it takes, and calling it with that."""

from __future__ import annotations

from ._signature import (
    KEYWORD_ONLY,
    POSITIONAL_ONLY,
    POSITIONAL_OR_KEYWORD,
    REQUIRED,
    VAR_POSITIONAL,
    Place,
    is_async,
    parameters,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ._native import Context


class Handler:
    """A function that takes up to so many values, and the context by keyword when it asks for it."""

    __slots__ = ("context", "function", "is_async", "name", "required", "takes")

    def __init__(self, function: Callable[..., Any], what: str, values: tuple[str, ...]) -> None:
        place = Place(function)
        if not callable(function) or isinstance(function, type):
            raise place.mistake(f"the handler of {what} must be a function, and is {function!r}")
        self.function = function
        self.is_async = is_async(function)
        self.name = getattr(function, "__name__", what)
        self.required = False
        found = parameters(function)
        self.context = next((one.name for one in found if _is_context(one)), None)
        others = [one for one in found if one.name != self.context]
        positional = [
            one for one in others if one.kind in (POSITIONAL_ONLY, POSITIONAL_OR_KEYWORD)
        ]
        takes_any = any(one.kind == VAR_POSITIONAL for one in others)
        self.takes = len(values) if takes_any else min(len(positional), len(values))
        extra = [one for one in positional[len(values) :] if one.default is REQUIRED]
        extra += [one for one in others if one.kind == KEYWORD_ONLY and one.default is REQUIRED]
        if extra:
            given = " and ".join([*values, "ctx"])
            raise place.mistake(
                f"the handler of {what} asks for {extra[0].name!r}; it is given {given}"
            )

    def call(self, ctx: Context, *values: Any) -> Any:
        """Calls it; an ``async`` one gives something to await."""
        if self.context is None:
            return self.function(*values[: self.takes])
        return self.function(*values[: self.takes], **{self.context: ctx})


def _is_context(parameter: Any) -> bool:
    annotation = parameter.annotation
    if isinstance(annotation, str):
        named = annotation.rpartition(".")[2] == "Context"
    else:
        named = getattr(annotation, "__name__", "") == "Context"
    return parameter.name == "ctx" or named
