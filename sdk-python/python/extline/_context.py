"""Which parameter takes the call's context."""

from __future__ import annotations

from ._plain import SCALARS, alternatives
from ._signature import REQUIRED, VAR_KEYWORD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._scope import Scope
    from ._signature import Parameter, Place


def context_parameter(found: list[Parameter], scope: Scope, place: Place) -> str | None:
    """The name of the parameter called ``ctx`` or annotated with ``extline.Context``."""
    taking = [
        one.name
        for one in found
        if one.kind != VAR_KEYWORD and (one.name == "ctx" or _is_context(one.annotation, scope))
    ]
    if len(taking) > 1:
        raise place.mistake(
            f"takes the context twice, as {' and as '.join(taking)}; remove one of them"
        )
    for one in found:
        if one.name == "ctx" and one.name in taking and _is_scalar(one.annotation):
            raise place.mistake(
                "this name is kept for the context of the call, which no model gives; choose "
                "another name, or annotate it with extline.Context",
                one.name,
            )
    return taking[0] if taking else None


def _is_scalar(annotation: Any) -> bool:
    if isinstance(annotation, str):
        return annotation in ("str", "int", "float", "bool")
    return isinstance(annotation, type) and annotation is not object and annotation in SCALARS


def _is_context(annotation: Any, scope: Scope) -> bool:
    if annotation is REQUIRED:
        return False
    annotation = getattr(annotation, "__forward_arg__", annotation)
    if isinstance(annotation, str):
        names = [name.strip(" \"'") for name in annotation.split("|")]
        if not any(name == "Context" or name.endswith(".Context") for name in names):
            return False
        try:
            annotation = scope.resolve(annotation.strip("\"'"))
        except (NameError, AttributeError, SyntaxError, TypeError):
            return True  # imported for type checkers only
    return any(_is_class(one) for one in alternatives(annotation))


def _is_class(annotation: Any) -> bool:
    return (
        isinstance(annotation, type)
        and annotation.__name__ == "Context"
        and annotation.__module__.partition(".")[0] == "extline"
    )
