"""The parameters of whatever can be called, read without ``inspect`` where possible.

``inspect`` costs as much to import as a small extension does to start; a Python function says
the same in ``__code__``, ``__annotations__``, ``__defaults__`` and ``__kwdefaults__``.
"""

from __future__ import annotations

import sys

from ._mistake import DefinitionError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType
    from typing import Any


class _Class:
    def method(self) -> None:
        pass


FunctionType: Any = type(_Class.method)
MethodType: Any = type(_Class().method)

POSITIONAL_ONLY, POSITIONAL_OR_KEYWORD, VAR_POSITIONAL, KEYWORD_ONLY, VAR_KEYWORD = range(5)

# The flags of a code object.
_VARARGS, _VARKEYWORDS = 0x04, 0x08
_GENERATOR, _COROUTINE, _ITERABLE_COROUTINE, _ASYNC_GENERATOR = 0x20, 0x80, 0x100, 0x200


class _Required:
    """The default of a parameter that has none."""

    def __repr__(self) -> str:
        return "REQUIRED"


REQUIRED: Any = _Required()


class Parameter:
    """One parameter; ``kind`` is numbered as in ``inspect``. No annotation is ``REQUIRED``."""

    __slots__ = ("annotation", "default", "kind", "name")

    def __init__(self, name: str, kind: int, annotation: Any, default: Any) -> None:
        self.name = name
        self.kind = kind
        self.annotation = annotation
        self.default = default


def layers(function: Any, *, wrapped: bool) -> list[Any]:
    """``function`` and what is inside it, outermost first: the function of a method, of a
    partial, of a static method, the ``__call__`` of an object; with ``wrapped`` also what
    ``functools.wraps`` names."""
    found = [function]
    while (inner := _inside(found[-1], wrapped)) is not None:
        if any(inner is layer for layer in found):
            break
        found.append(inner)
    return found


def _inside(function: Any, wrapped: bool) -> Any:
    if isinstance(function, (staticmethod, MethodType)):
        return function.__func__
    if _is_partial(function):
        return function.func
    if wrapped and hasattr(function, "__wrapped__"):
        return function.__wrapped__
    if isinstance(function, (FunctionType, type)):
        return None
    call = getattr(function, "__call__", None)  # noqa: B004 - wanted itself, not whether
    return call if isinstance(call, MethodType) else None


def _is_partial(function: Any) -> bool:
    # Who has not imported functools has no partial.
    functools = sys.modules.get("functools")
    return functools is not None and isinstance(function, functools.partial)


def code(function: Any) -> CodeType | None:
    """The code that runs when ``function`` is called, if it is Python."""
    found: CodeType | None = getattr(layers(function, wrapped=False)[-1], "__code__", None)
    return found


def is_async(function: Any) -> bool:
    """Whether calling it gives something to await or to iterate with ``async for``."""
    runs = code(function)
    flags = runs.co_flags if runs is not None else 0
    return bool(flags & (_COROUTINE | _ITERABLE_COROUTINE | _ASYNC_GENERATOR)) or hasattr(
        function, "_is_coroutine_mark"
    )


def is_generator(function: Any) -> bool:
    """Whether calling it gives a generator or an async generator."""
    runs = code(function)
    return runs is not None and bool(runs.co_flags & (_GENERATOR | _ASYNC_GENERATOR))


def parameters(function: Any) -> list[Parameter]:
    """The parameters that are still open. Raises ValueError for a callable that does not say."""
    if getattr(function, "__signature__", None) is not None:
        return _inspected(function)
    if isinstance(function, MethodType):
        return _without_first(parameters(function.__func__))
    if isinstance(function, staticmethod):
        return parameters(function.__func__)
    if _is_partial(function):
        return _without_bound(parameters(function.func), function)
    if hasattr(function, "__wrapped__"):
        return parameters(function.__wrapped__)
    if isinstance(function, FunctionType):
        return _of_function(function)
    call = getattr(function, "__call__", None)  # noqa: B004
    if isinstance(call, MethodType):
        return parameters(call)
    return _inspected(function)


def _of_function(function: Any) -> list[Parameter]:
    own = function.__code__
    annotations = annotations_of(function)
    positional = own.co_varnames[: own.co_argcount]
    defaults = function.__defaults__ or ()
    first_default = len(positional) - len(defaults)
    found = []
    for nth, name in enumerate(positional):
        kind = POSITIONAL_ONLY if nth < own.co_posonlyargcount else POSITIONAL_OR_KEYWORD
        default = defaults[nth - first_default] if nth >= first_default else REQUIRED
        found.append(Parameter(name, kind, annotations.get(name, REQUIRED), default))
    end = own.co_argcount + own.co_kwonlyargcount
    keyword_defaults = function.__kwdefaults__ or {}
    for name in own.co_varnames[own.co_argcount : end]:
        default = keyword_defaults.get(name, REQUIRED)
        found.append(Parameter(name, KEYWORD_ONLY, annotations.get(name, REQUIRED), default))
    for flag, kind in ((_VARARGS, VAR_POSITIONAL), (_VARKEYWORDS, VAR_KEYWORD)):
        if own.co_flags & flag:
            name = own.co_varnames[end]
            found.append(Parameter(name, kind, annotations.get(name, REQUIRED), REQUIRED))
            end += 1
    return found


def annotations_of(function: Any) -> dict[str, Any]:
    """The annotations of a function of Python's."""
    try:
        found: dict[str, Any] = function.__annotations__
    except NameError:
        # From Python 3.14 annotations are evaluated when they are asked for, and a name may be
        # there for type checkers only.
        import annotationlib  # type: ignore[import-not-found,unused-ignore]

        found = annotationlib.get_annotations(function, format=annotationlib.Format.FORWARDREF)
    return found


def _inspected(function: Any) -> list[Parameter]:
    import inspect

    empty = inspect.Parameter.empty
    return [
        Parameter(
            one.name,
            int(one.kind),
            REQUIRED if one.annotation is empty else one.annotation,
            REQUIRED if one.default is empty else one.default,
        )
        for one in inspect.signature(function).parameters.values()
    ]


def _without_first(found: list[Parameter]) -> list[Parameter]:
    return found[1:] if found and found[0].kind <= POSITIONAL_OR_KEYWORD else found


def _without_bound(found: list[Parameter], partial: Any) -> list[Parameter]:
    """What a partial holds is the author's, not the model's: it is no parameter of the tool."""
    placeholder = getattr(sys.modules["functools"], "Placeholder", REQUIRED)
    held = iter(partial.args)
    still_open = []
    for one in found:
        if one.kind <= POSITIONAL_OR_KEYWORD and next(held, placeholder) is not placeholder:
            continue
        if one.kind != POSITIONAL_ONLY and one.name in partial.keywords:
            continue
        still_open.append(one)
    return still_open


def callable_by_keyword(
    function: Any, found: list[Parameter], *, drop_others: bool = False
) -> Callable[..., Any]:
    """``function``, or what takes its positional-only parameters by their names too, and with
    ``drop_others`` passes over what is no parameter."""
    only = [one for one in found if one.kind == POSITIONAL_ONLY]
    if any(one.kind == VAR_KEYWORD for one in found):
        drop_others = False
    if not only and not drop_others:
        called: Callable[..., Any] = function
        return called
    names = {one.name for one in found}

    def by_keyword(**arguments: Any) -> Any:
        if drop_others:
            arguments = {name: value for name, value in arguments.items() if name in names}
        positional = [arguments.pop(one.name, one.default) for one in only]
        return function(*positional, **arguments)

    # Whose line it is.
    by_keyword.__wrapped__ = function  # type: ignore[attr-defined]
    return by_keyword


class Place:
    """Where the author's function stands, to begin every error with."""

    __slots__ = ("tool", "where")

    def __init__(self, function: Any) -> None:
        own = next(
            (c for one in reversed(layers(function, wrapped=True)) if (c := code(one))), None
        )
        self.where = f"{own.co_filename}:{own.co_firstlineno}: " if own is not None else ""
        self.tool = ""

    def mistake(self, problem: str, parameter: str | None = None) -> DefinitionError:
        """The error for ``problem``, a sentence that ends with what to do."""
        tool = f"tool {self.tool}: " if self.tool else ""
        at = f"parameter {parameter}: " if parameter is not None else ""
        return DefinitionError(f"{self.where}{tool}{at}{problem}")
