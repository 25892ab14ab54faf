"""Annotations with something of pydantic's in them: schema and values by pydantic, strictly."""

from __future__ import annotations

from typing import Annotated

import pydantic
import pydantic_core

from ._fits import excerpt
from ._mistake import ArgumentError, join
from ._msgspec import whole_numbers
from ._signature import REQUIRED, Parameter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ._scope import Scope


def schemas(
    annotations: list[Any], mode: str = "validation"
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The schemas of annotations, and the definitions that they refer to."""
    adapters = [
        (str(nth), mode, pydantic.TypeAdapter(one)) for nth, one in enumerate(annotations)
    ]
    by_key, document = pydantic.TypeAdapter.json_schemas(
        adapters,  # type: ignore[arg-type]
        ref_template="#/$defs/{model}",
    )
    found = [by_key[(key, mode)] for key, _, _ in adapters]  # type: ignore[index]
    return found, document.get("$defs", {})


def without_field(parameter: Parameter, scope: Scope) -> tuple[Parameter, Callable[[], Any] | None]:
    """The parameter whose default is a ``Field(...)``: what that says goes to the annotation.
    Also what makes the default value, if there is one."""
    from ._rich import resolved

    field = parameter.default

    def default() -> Any:
        return field.get_default(call_default_factory=True)

    annotation: Any = Annotated[resolved(parameter.annotation, scope), field]
    if field.is_required():
        return Parameter(parameter.name, parameter.kind, annotation, REQUIRED), None
    return Parameter(parameter.name, parameter.kind, annotation, default()), default


def decoder(annotation: Any, schema: dict[str, Any]) -> Callable[[Any, str], Any]:
    """What makes of a value in JSON one of ``annotation``, or raises ArgumentError."""
    adapter = pydantic.TypeAdapter(annotation)

    def decode(value: Any, pointer: str) -> Any:
        value = whole_numbers(value)
        try:
            # As JSON, since strict pydantic takes a date from a JSON string, but not from a str.
            return adapter.validate_json(pydantic_core.to_json(value), strict=True)
        except pydantic.ValidationError as error:
            raise _failure(error, value, pointer) from None

    return decode


def _failure(error: pydantic.ValidationError, value: Any, pointer: str) -> ArgumentError:
    """The mistake that lies deepest: of a union, the alternative that got furthest."""
    found = []
    for one in error.errors(include_url=False, include_context=False):
        members = _members(one["loc"], value, one["type"])
        found.append((one, members))
    one, members = max(found, key=lambda pair: len(pair[1]))
    if one["type"] in ("missing", "missing_argument"):
        return ArgumentError("required, and missing", join(pointer, *members))
    if one["type"] == "extra_forbidden":
        return ArgumentError("not allowed", join(pointer, *members))
    problem = one["msg"].replace("Input should be", "must be", 1)
    problem = problem.removeprefix("Value error, ")
    message = f"{problem[:1].lower()}{problem[1:]}, and is {excerpt(_at(value, members))}"
    return ArgumentError(message, join(pointer, *members))


def _members(loc: tuple[int | str, ...], value: Any, kind: str) -> list[Any]:
    """The members that ``loc`` goes through; it also names the alternatives of unions."""
    members: list[Any] = []
    at = value
    for nth, step in enumerate(loc):
        inside = (isinstance(at, dict) and step in at) or (
            isinstance(at, list) and isinstance(step, int) and step < len(at)
        )
        if inside:
            members.append(step)
            at = at[step]
        elif nth == len(loc) - 1 and kind == "missing":
            members.append(step)
    return members


def _at(value: Any, members: list[Any]) -> Any:
    for member in members:
        value = value[member]
    return value
