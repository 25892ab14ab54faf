"""Values from JSON by msgspec, and its errors as pointer and message."""

from __future__ import annotations

import sys

import msgspec

from ._fits import excerpt, objection
from ._mistake import ArgumentError, join

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_WORDS = {
    "int": "an integer",
    "str": "a string",
    "float": "a number",
    "bool": "a boolean",
    "array": "an array",
    "object": "an object",
    "null": "null",
}
_INVALID = {
    "RFC3339 encoded datetime": "a date and time such as 2026-01-31T12:00:00Z",
    "RFC3339 encoded date": "a date such as 2026-01-31",
    "RFC3339 encoded time": "a time such as 12:00:00",
    "ISO8601 duration": "a duration such as PT1H30M",
    "UUID": "a UUID",
    "decimal string": "a decimal number",
    "base64 encoded string": "base64",
}


def decoder(annotation: Any, schema: dict[str, Any]) -> Callable[[Any, str], Any]:
    """What makes of a value in JSON one of ``annotation``, or raises ArgumentError.

    Raises TypeError if msgspec cannot do it.
    """
    try:
        _convert(None, annotation)
    except msgspec.ValidationError:
        pass  # None is not one; that it could be tried is the point

    def decode(value: Any, pointer: str) -> Any:
        value = whole_numbers(value)
        try:
            return _convert(value, annotation)
        except msgspec.ValidationError as error:
            raise _failure(str(error), value, annotation, schema, pointer) from None

    return decode


def _convert(value: Any, annotation: Any) -> Any:
    return msgspec.convert(value, annotation, dec_hook=_from_json, str_keys=True)


def _from_json(kind: type, value: Any) -> Any:
    if is_path(kind) and isinstance(value, str):
        return kind(value)
    raise ValueError(f"Expected `str`, got `{type(value).__name__}`")


def is_path(kind: Any) -> bool:
    """Whether it is a class of ``pathlib``, which who has not loaded it cannot name."""
    pathlib = sys.modules.get("pathlib")
    return pathlib is not None and isinstance(kind, type) and issubclass(kind, pathlib.PurePath)


def whole_numbers(value: Any) -> Any:
    """3.0 as 3, all through: a schema's ``integer`` takes it, msgspec's int does not, and a float
    takes 3."""
    if type(value) is float:
        return int(value) if value.is_integer() else value
    if type(value) is list:
        return [whole_numbers(item) for item in value]
    if type(value) is dict:
        return {name: whole_numbers(member) for name, member in value.items()}
    return value


def _failure(
    text: str, value: Any, annotation: Any, schema: dict[str, Any], pointer: str
) -> ArgumentError:
    problem, _, path = text.partition(" - at `")
    of_key = path.startswith("key` in `")
    path = path.removeprefix("key` in `").removesuffix("`")

    def fails(candidate: Any) -> bool:
        try:
            _convert(candidate, annotation)
        except msgspec.ValidationError as error:
            return str(error) == text
        return False

    members = _members(value, path + ("[...]" if of_key else ""), fails)
    at = value
    for member in members:
        at = at[member]
    for start, message in (
        ("Object missing required field `", "required, and missing"),
        ("Object contains unknown field `", "not allowed"),
    ):
        if problem.startswith(start):
            name = problem.removeprefix(start).removesuffix("`")
            return ArgumentError(message, join(pointer, *members, name))
    found = members[-1] if of_key and members else at
    allowed = _allowed(schema, members[:-1], "propertyNames") if of_key else _allowed(schema, members)
    message = _message(problem, found, allowed)
    return ArgumentError(("the name " if of_key else "") + message, join(pointer, *members))


def _members(value: Any, path: str, fails: Callable[[Any], bool]) -> list[Any]:
    """The members on the way along ``$.a[0][...]``; which one ``[...]`` is, is found by trying."""
    members: list[Any] = []
    at, rest = value, path.removeprefix("$")
    while rest:
        if rest.startswith("[...]"):
            found = [name for name in at if fails(_only(value, members, name))]
            step, rest = (found[0], rest[5:]) if found else (None, "")
        elif rest.startswith("["):
            number, _, rest = rest[1:].partition("]")
            step = int(number)
        else:
            # A name may have dots of its own.
            names = [name for name in at if rest[1:].startswith(name)]
            step = max(names, key=len) if names else None
            rest = rest[1 + len(step) :] if step is not None else ""
        if step is not None:
            members.append(step)
            at = at[step]
    return members


def _only(value: Any, members: list[Any], name: str) -> Any:
    """``value``, in which the object that ``members`` lead to has only the member ``name``."""
    if not members:
        return {name: value[name]}
    copy = value.copy()
    copy[members[0]] = _only(value[members[0]], members[1:], name)
    return copy


def _message(problem: str, found: Any, allowed: str) -> str:
    if problem.startswith("Invalid enum value") and allowed:
        return f"must be one of {allowed}; is {excerpt(found)}"
    if problem.startswith("Invalid "):
        what = problem.removeprefix("Invalid ")
        return f"must be {_INVALID.get(what, 'a valid ' + what)}, and is {excerpt(found)}"
    if problem.startswith("Expected `"):
        expected, _, _ = problem.removeprefix("Expected `").partition(", got ")
        names, _, limit = expected.partition("`")
        words = " or ".join(_WORDS.get(name, name) for name in names.split(" | "))
        return f"must be {words}{limit}, and is {excerpt(found)}"
    return objection(problem, found)


def _allowed(schema: dict[str, Any], members: list[Any], of: str = "") -> str:
    """The values of the enum at this place, or ``of`` the names there, where the schema has them."""
    for member in members:
        inner = schema.get("items" if isinstance(member, int) else "additionalProperties")
        schema = schema.get("properties", {}).get(member, inner)
        if not isinstance(schema, dict):
            return ""
    schema = schema.get(of, {}) if of else schema
    for one in (schema, *schema.get("anyOf", ())):
        if "enum" in one:
            return ", ".join(excerpt(value) for value in one["enum"])
    return ""
