"""A handler of an author's that is no tool: what it takes, and calling it with that."""

from __future__ import annotations

from . import _native
from ._mistake import HandlerMistake
from ._signature import (
    KEYWORD_ONLY,
    POSITIONAL_ONLY,
    POSITIONAL_OR_KEYWORD,
    REQUIRED,
    VAR_POSITIONAL,
    Place,
    is_async,
    is_generator,
    parameters,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ._event import Event
    from ._native import Context


class Handler:
    """A function that takes up to so many values, and the context by keyword when it asks for it."""

    __slots__ = (
        "_first",
        "context",
        "function",
        "has_context",
        "is_async",
        "name",
        "required",
        "takes",
        "tools",
    )

    def __init__(
        self, function: Callable[..., Any], what: str, values: tuple[str, ...], may_yield: bool = False
    ) -> None:
        place = Place(function)
        if not callable(function) or isinstance(function, type):
            raise place.mistake(f"the handler of {what} must be a function, and is {function!r}")
        if is_generator(function) and not may_yield:
            raise place.mistake(
                f"the handler of {what} has a `yield`, so that calling it runs nothing of it; only "
                "a tool's and a method's may have one: `return` what it gives"
            )
        self.function = function
        self.is_async = is_async(function)
        self.name = getattr(function, "__name__", what)
        self.required = False
        #: Of which tools it is told, where it is one of an event's; None for all.
        self.tools: list[str] | None = None
        found = parameters(function)
        self.context = next((one.name for one in found if _is_context(one)), None)
        self.has_context = self.context is not None
        others = [one for one in found if one.name != self.context]
        positional = [
            one for one in others if one.kind in (POSITIONAL_ONLY, POSITIONAL_OR_KEYWORD)
        ]
        self._first = positional[0] if positional else None
        takes_any = any(one.kind == VAR_POSITIONAL for one in others)
        self.takes = len(values) if takes_any else min(len(positional), len(values))
        extra = [one for one in positional[len(values) :] if one.default is REQUIRED]
        extra += [one for one in others if one.kind == KEYWORD_ONLY and one.default is REQUIRED]
        if extra:
            given = " and ".join([*values, "ctx"])
            raise place.mistake(
                f"the handler of {what} asks for {extra[0].name!r}; it is given {given}"
            )

    def takes_text(self) -> None:
        """Refuses an annotation that says the value is anything but a str."""
        first = self._first
        if first is None or first.annotation is REQUIRED:
            return
        annotation = first.annotation
        written = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")
        if annotation is str or written.strip("\"'") in ("str", "Any", "object"):
            return
        raise Place(self.function).mistake(
            "a command is given what the user typed, as one str; annotate it with str and read it "
            f"in the function, such as {first.name}.split() or int({first.name})",
            first.name,
        )

    def wants(self, event: Event) -> bool:
        """Whether it is told of this one, whatever the host sends."""
        return self.tools is None or _native.fits_tools(self.tools, event.payload.get("tool_name"))

    def is_told_of(self, event: str) -> None:
        """Refuses the class of another event than the one it is told of."""
        first = self._first
        if first is None or first.annotation is REQUIRED:
            return
        from .events import EVENTS

        annotation = first.annotation
        own = EVENTS.get(event)
        written = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")
        for name, kind in EVENTS.items():
            is_named = isinstance(annotation, str) and written.endswith(f"events.{kind.__name__}")
            if (annotation is kind or is_named) and own is not None and not issubclass(own, kind):
                raise Place(self.function).mistake(
                    f"this is the class of the event {name}; {event} is an events.{own.__name__}",
                    first.name,
                )

    def given(self, typed: str) -> tuple[str, ...]:
        """What a command is called with: where the user typed nothing, its own default."""
        first = self._first
        return () if not typed and first is not None and first.default is not REQUIRED else (typed,)

    def mistake(self, problem: str) -> HandlerMistake:
        """The error for what it returned or did: ``problem`` goes on behind its name."""
        where = Place(self.function).where.removesuffix(": ")
        at = f" at {where}" if where else ""
        return HandlerMistake(f"{self.name}{at} {problem}")

    def call(self, ctx: Context, *values: Any) -> Any:
        """Calls it; an ``async`` one gives something to await."""
        if self.context is None:
            return self.function(*values[: self.takes])
        return self.function(*values[: self.takes], **{self.context: ctx})

    def answer(self, ctx: Context, returned: Any) -> None:
        """Answers a request of the host's with what it returned."""
        _native.answer_request(ctx, returned)


def _is_context(parameter: Any) -> bool:
    annotation = parameter.annotation
    if isinstance(annotation, str):
        named = annotation.rpartition(".")[2] == "Context"
    else:
        named = getattr(annotation, "__name__", "") == "Context"
    return parameter.name == "ctx" or named
