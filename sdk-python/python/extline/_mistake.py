"""What can be wrong with a tool: its definition, or the arguments of a call."""

from __future__ import annotations

from ._native import AtTheAuthorsLine

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    F = TypeVar("F", bound=Callable[..., Any])


class DefinitionError(TypeError):
    """A tool that cannot be registered as it is written.

    The text begins with file and line of the author's function, names the tool and the
    parameter, and ends with what to do.
    """

    # As an author imports it, and as a traceback names it.
    __module__ = "extline"


class HandlerMistake(TypeError):
    """What a handler returned, or did to what it was given, and cannot be meant.

    The text begins with the handler's name, file and line, and ends with the line that works. Its
    traceback would only show this package.
    """

    __module__ = "extline"


def at_the_authors_line(define: F) -> F:
    """Has a traceback for a mistake in a definition end where the author's code calls ``define``,
    and not in the files that found it."""
    return AtTheAuthorsLine(define)  # type: ignore[return-value]


class ArgumentError(ValueError):
    """Arguments of a call that the tool does not take: an answer of kind ``validation``.

    ``pointer`` is the JSON pointer to the offending member itself: a missing ``city`` is
    ``/city``, one too many is ``/x``; empty for the arguments as a whole. ``message`` says what
    was expected and what came: ``must be a string, and is 5``.
    """

    def __init__(self, message: str, pointer: str) -> None:
        super().__init__(message, pointer)
        self.message = message
        self.pointer = pointer

    def __str__(self) -> str:
        return f"{self.pointer}: {self.message}" if self.pointer else self.message

    def inside(self, member: object) -> ArgumentError:
        """The same, of the value that has the one it was about as ``member``."""
        return ArgumentError(self.message, join("", member) + self.pointer)


def join(pointer: str, *members: object) -> str:
    """The JSON pointer to a member of what ``pointer`` points to."""
    for member in members:
        pointer += "/" + str(member).replace("~", "~0").replace("/", "~1")
    return pointer


def type_name(value: object) -> str:
    """The name of the type of a value, as an author writes it; of a class, that it is one."""
    kind = value if isinstance(value, type) else type(value)
    name = kind.__qualname__
    if kind.__module__ not in ("builtins", "__main__"):
        name = f"{kind.__module__}.{name}"
    return f"the class {name}" if kind is value else name
