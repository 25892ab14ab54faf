"""A tool from a function: its name, description, schema, and how arguments reach it."""

from __future__ import annotations

from ._arguments import of_annotations, of_schema
from ._context import context_parameter
from ._docstring import parse
from ._mistake import ArgumentError, DefinitionError, type_name
from ._returned import output_schema
from ._scope import Scope
from ._signature import (
    REQUIRED,
    VAR_KEYWORD,
    VAR_POSITIONAL,
    Parameter,
    Place,
    callable_by_keyword,
    is_async,
    is_generator,
    layers,
    parameters,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ._arguments import Arguments

__all__ = ["ArgumentError", "DefinitionError", "Described", "describe"]

_LONGEST_NAME = 64


class Described:
    """A function, described as a tool.

    ``function`` is to be called as ``function(**bind(args))``, with the call's context as the
    keyword ``context`` when that is not None. It is the author's own, unless that has
    positional-only parameters, or a schema of the author's lets more through than it takes.

    With ``plain``, whether arguments are right is for the core's validator to say, by ``schema``;
    ``bind`` then makes integers of 3.0 and floats of 3 where the annotation wants them, and with
    ``makes_objects`` also the author's own objects, which may refuse what they are made of.
    Otherwise ``bind`` is the validator.

    ``output`` is the schema of what it returns, where that is an object of the author's or it is
    given. ``is_async`` and ``is_generator`` tell what calling ``function`` gives. A decorator without
    ``async`` around an ``async def`` is not ``is_async``, and returns something to await.
    """

    __slots__ = (
        "bind",
        "context",
        "description",
        "function",
        "is_async",
        "is_generator",
        "makes_objects",
        "name",
        "output",
        "plain",
        "schema",
    )

    def __init__(
        self,
        function: Callable[..., Any],
        name: str,
        description: str,
        arguments: Arguments,
        context: str | None,
        output: dict[str, Any] | None,
        is_async: bool,
        is_generator: bool,
    ) -> None:
        self.function = function
        self.name = name
        self.description = description
        self.schema = arguments.schema
        self.context = context
        self.plain = arguments.plain
        self.makes_objects = arguments.makes_objects
        self.bind = arguments.bind
        self.output = output
        self.is_async = is_async
        self.is_generator = is_generator


def describe(
    function: Callable[..., Any],
    *,
    name: str | None = None,
    description: str | None = None,
    schema: dict[str, Any] | None = None,
    output: dict[str, Any] | bool | None = None,
) -> Described:
    """Describes ``function`` as a tool; what is given by keyword is taken as it is. An ``output`` of
    False is none.

    Raises DefinitionError, which begins with the file and line of the function.
    """
    place = Place(function)
    _refuse_what_is_odd(function, place)
    place.tool = name = _name(function, name, place)
    all_parameters = _parameters(function, place)
    scope = Scope(function)
    context = context_parameter(all_parameters, scope, place)
    found = [one for one in all_parameters if one.name != context]
    unknown: list[str] = []
    doc, texts = parse(_docstring(function), [one.name for one in found], unknown)
    if unknown and schema is None:
        _refuse_unknown(unknown, function, all_parameters, place)
    drop_others = False
    if schema is not None:
        arguments = of_schema(schema, found, place)
        # It may let members through that the function does not take.
        drop_others = schema.get("additionalProperties") is not False
    else:
        arguments = of_annotations(found, texts, scope, place)
    return Described(
        function=callable_by_keyword(function, all_parameters, drop_others=drop_others),
        name=name,
        description=doc if description is None else description,
        arguments=arguments,
        context=context,
        output=output_schema(function, scope) if output is None else output or None,  # type: ignore[arg-type]
        is_async=is_async(function),
        is_generator=is_generator(function),
    )


def _refuse_unknown(
    unknown: list[str], function: Any, found: list[Parameter], place: Place
) -> None:
    """For a name that the docstring describes, and no parameter has: no model would read the text."""
    if any(one.kind == VAR_KEYWORD for one in found):
        return
    known = {one.name for one in found}
    # What a partial holds, or a wrapper gives, may be described as well.
    for layer in layers(function, wrapped=True):
        own = getattr(layer, "__code__", None)
        known.update(own.co_varnames if own is not None else ())
    for name in unknown:
        if name not in known:
            has = ", ".join(one.name for one in found) or "none"
            raise place.mistake(
                f"the docstring describes {name!r}, which is no parameter; there are {has}; rename "
                "it, or describe it above the list"
            )


def _refuse_what_is_odd(function: Any, place: Place) -> None:
    if isinstance(function, classmethod):
        raise place.mistake(
            "a class method is not bound to its class while the class is still being written; "
            "register it after the class: ext.tool(Class.method)"
        )
    if isinstance(function, type):
        raise place.mistake(
            f"{function.__qualname__} is a class; a tool is a function, a method of an object "
            "or an object with __call__"
        )
    if not callable(function):
        raise place.mistake(
            f"{function!r} ({type_name(function)}) cannot be called; a tool is a function"
        )


def _name(function: Any, name: Any, place: Place) -> str:
    given = name is not None
    if not given:
        name = _own_name(function)
    if not isinstance(name, str):
        raise place.mistake(f"the name must be a string, and is {name!r}")
    letters = name.replace("_", "a").replace("-", "a")
    if letters.isascii() and letters.isalnum() and len(name) <= _LONGEST_NAME:
        return name
    advice = "choose another" if given else 'give it one: name="..."'
    raise place.mistake(
        f"{name!r} is no name for a tool: 1 to {_LONGEST_NAME} of the characters A-Z, a-z, 0-9, "
        f"_ and -; {advice}"
    )


def _own_name(function: Any) -> Any:
    around = function
    for one in layers(function, wrapped=False):
        own = getattr(one, "__name__", None)
        if own == "__call__":
            break
        if own is not None:
            return own
        around = one
    return type(around).__name__


def _docstring(function: Any) -> str | None:
    """The text nearest to the author's function; a partial's own is that of its class."""
    for one in layers(function, wrapped=False):
        own = getattr(one, "__doc__", None)
        if isinstance(own, str) and own != getattr(type(one), "__doc__", None):
            return own
    around = type(function)
    return around.__doc__ if around.__module__ not in ("builtins", "functools") else None


def _parameters(function: Any, place: Place) -> list[Parameter]:
    try:
        found = parameters(function)
    except (ValueError, TypeError) as error:
        raise place.mistake(
            f"{type_name(function)} does not tell its parameters; write a function around it"
        ) from None
    for one in found:
        if one.kind == VAR_POSITIONAL:
            raise place.mistake(
                f"*{one.name} has no names a model could give; take a list, or, if this is a "
                "decorator's wrapper, put @functools.wraps(function) over it",
                one.name,
            )
    first = found[0] if found else None
    if first is not None and first.name in ("self", "cls") and first.annotation is REQUIRED:
        raise place.mistake(
            "the method is not bound to an object yet; register it from one: "
            f"ext.tool(object.{_own_name(function)})",
            first.name,
        )
    return found
