"""Whether a value fits a plain schema, in the words of the core's validator.

It knows only the keywords that ``_plain`` writes. It is asked about defaults when a tool is
defined, and about the plain parameters of a tool that has others too, which the core's validator
does not see.

It is no call of that validator, which reads the text of the arguments: here they are Python's own
values by now, and would have to become text again. ``tests/test_describe_native.py`` refuses the
same values by both, and holds them to the same words.
"""

from __future__ import annotations

from ._mistake import ArgumentError, join

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_TYPES = {
    str: "string", bool: "boolean", type(None): "null", list: "array", dict: "object",
    int: "integer", float: "number",
}  # fmt: skip
_ARTICLES = {"null": "null", "integer": "an integer", "array": "an array", "object": "an object"}
_LONGEST = 60


def check(value: Any, schema: dict[str, Any], pointer: str) -> None:
    """Raises ArgumentError for the first member that does not fit."""
    if "anyOf" in schema:
        _check_any(value, schema["anyOf"], pointer)
        return
    if "enum" in schema and not any(_same(value, one) for one in schema["enum"]):
        raise ArgumentError(_values(schema["enum"], value), pointer)
    if "type" in schema and not _is_of(value, schema["type"]):
        raise ArgumentError(f"must be {_ARTICLES.get(schema['type'], 'a ' + schema['type'])}, "
                            f"and is {excerpt(value)}", pointer)  # fmt: skip
    if isinstance(value, list) and "items" in schema:
        for nth, item in enumerate(value):
            check(item, schema["items"], join(pointer, nth))
    if isinstance(value, dict):
        _check_members(value, schema, pointer)


def _check_members(value: dict[str, Any], schema: dict[str, Any], pointer: str) -> None:
    named, others = schema.get("properties", {}), schema.get("additionalProperties", {})
    for name, member in value.items():
        check(member, named.get(name, others), join(pointer, name))
    for name in schema.get("required", ()):
        if name not in value:
            raise ArgumentError("required, and missing", join(pointer, name))


def _check_any(value: Any, alternatives: list[dict[str, Any]], pointer: str) -> None:
    """Explained by the alternative that got furthest into the value."""
    failures = []
    for schema in alternatives:
        try:
            check(value, schema, pointer)
        except ArgumentError as failure:
            failures.append(failure)
        else:
            return
    furthest = max(failures, key=lambda failure: failure.pointer.count("/"))
    if furthest.pointer == pointer:
        expected = [one.message.removeprefix("must be ").rpartition(", and is ")[0]
                    or one.message.removeprefix("must be ").rpartition("; is ")[0]
                    for one in failures]  # fmt: skip
        words = " or ".join(dict.fromkeys(expected))
        comma = "; is" if ", " in words else ", and is"
        raise ArgumentError(f"must be {words}{comma} {excerpt(value)}", pointer)
    raise furthest


def _is_of(value: Any, name: str) -> bool:
    own = _TYPES.get(type(value))
    if name == "integer":
        return own == "integer" or (own == "number" and value.is_integer())
    return own == name or (name == "number" and own == "integer")


def _same(value: Any, other: Any) -> bool:
    """Equal in JSON: true is not 1, and 1.0 is."""
    return bool(value == other) and isinstance(value, bool) == isinstance(other, bool)


def _values(allowed: list[Any], value: Any) -> str:
    listed = ", ".join(excerpt(one) for one in allowed)
    if len(allowed) == 1:
        return f"must be {listed}, and is {excerpt(value)}"
    return f"must be one of {listed}; is {excerpt(value)}"


def objection(text: str, value: Any) -> str:
    """What somebody else, as the author's ``__post_init__``, has against a value."""
    word = text.partition(" ")[0]
    if word[1:] == word[1:].lower():  # a name such as URL stays what it is
        text = text[:1].lower() + text[1:]
    return f"{text}; is {excerpt(value)}"


def excerpt(value: Any) -> str:
    """A value in JSON, its beginning if it is long."""
    import json

    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=repr)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "..."
