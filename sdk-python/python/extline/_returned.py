"""The schema of what a tool returns, from its return annotation."""

from __future__ import annotations

from ._signature import annotations_of, code, layers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ._scope import Scope

# What is no object of an author's, and most annotations.
_OTHERS: tuple[Any, ...] = (None, str, int, float, bool, list, dict, tuple, object)
_ASYNC_GENERATOR = 0x200


def output_schema(function: Callable[..., Any], scope: Scope) -> dict[str, Any] | None:
    """The schema of the object that ``function`` says it returns: a dataclass, a TypedDict, a Struct of
    msgspec's or a model of pydantic's. None for everything else, and for what cannot be described.

    It is no promise that has to be kept to register a tool, so nothing is refused.
    """
    try:
        kind = _kind(function, scope)
        return None if kind is None else _schema(kind)
    except Exception:
        return None


def _kind(function: Any, scope: Scope) -> Any:
    inner = layers(function, wrapped=True)[-1]
    annotation = annotations_of(inner).get("return") if hasattr(inner, "__annotations__") else None
    if any(annotation is one for one in _OTHERS) or annotation in ("str", "None", "int", "bool"):
        return None
    runs = code(inner)
    if runs is not None and runs.co_flags & _ASYNC_GENERATOR:
        return None
    if isinstance(annotation, str):
        annotation = scope.resolve(annotation)
    if getattr(getattr(annotation, "__origin__", None), "__name__", "") == "Generator":
        annotation = annotation.__args__[2]  # type: ignore[union-attr]
    annotation = getattr(annotation, "__origin__", annotation)
    is_object = isinstance(annotation, type) and (
        hasattr(annotation, "__dataclass_fields__")
        or type(annotation).__name__ == "_TypedDictMeta"
        or hasattr(annotation, "__struct_fields__")
        or hasattr(annotation, "__pydantic_serializer__")
    )
    return annotation if is_object else None


def _schema(kind: Any) -> dict[str, Any] | None:
    from ._classes import read_class

    read = read_class(kind, 0, [])
    if read is not None:
        return read[0]
    from ._rich import of_class

    schema = of_class(kind)
    return schema if schema.get("type") == "object" else None
