"""Schemas without the references and titles that libraries put in.

Several model providers refuse a ``$ref`` or pass over it, so a definition is put where it is
referred to, unless it contains itself. Titles say again what the names say, and cost tokens.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_PREFIX = "#/$defs/"
# A schema in which definitions are used so often that it would grow huge keeps its references.
_MOST = 200
_SCHEMA = frozenset(
    ["additionalProperties", "items", "not", "if", "then", "else", "contains", "propertyNames",
     "unevaluatedItems", "unevaluatedProperties"]
)  # fmt: skip
_SCHEMAS = frozenset(["anyOf", "oneOf", "allOf", "prefixItems"])
_NAMED = frozenset(["properties", "patternProperties", "$defs", "dependentSchemas"])
# A title, and OpenAPI's hint which of the definitions to look at.
_DROPPED = frozenset(["title", "discriminator"])


def tidied(
    schemas: list[dict[str, Any]], definitions: dict[str, Any]
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The schemas, and those of the definitions that they still refer to."""
    kept = {name for name in definitions if name in _reached(definitions[name], definitions)}
    try:
        tidy = _Tidy(definitions, kept)
        found = [tidy.schema(schema) for schema in schemas]
    except _TooManyError:
        kept = set(definitions)
        tidy = _Tidy(definitions, kept)
        found = [tidy.schema(schema) for schema in schemas]
    used: set[str] = set()
    for schema in found:
        used |= _reached(schema, definitions)
    return found, {name: tidy.schema(definitions[name]) for name in sorted(used & kept)}


class _TooManyError(Exception):
    pass


class _Tidy:
    def __init__(self, definitions: dict[str, Any], kept: set[str]) -> None:
        self.definitions = definitions
        self.kept = kept
        self.replaced = 0

    def schema(self, schema: Any) -> Any:
        if not isinstance(schema, dict):
            return schema
        found: dict[str, Any] = {}
        for key, value in schema.items():
            if key in _DROPPED:
                continue
            if key == "$ref" and (name := value.removeprefix(_PREFIX)) not in self.kept:
                self.replaced += 1
                if self.replaced > _MOST:
                    raise _TooManyError
                found = {**self.schema(self.definitions[name]), **found}
            else:
                found[key] = self._value(key, value)
        if found.get("required") == []:
            del found["required"]
        if found.get("type") == "array" and "prefixItems" not in found:
            found.setdefault("items", {})  # some providers do not take it otherwise
        return _with_type(found) if "enum" in found else found

    def _value(self, key: str, value: Any) -> Any:
        if key in _SCHEMA:
            return self.schema(value)
        if key in _SCHEMAS:
            return [self.schema(one) for one in value]
        if key in _NAMED:
            return {name: self.schema(one) for name, one in value.items()}
        return value


def _with_type(schema: dict[str, Any]) -> dict[str, Any]:
    """An enum that says its type too: some providers do not take it otherwise."""
    kinds = {type(value) for value in schema["enum"]}
    for kind, name in ((str, "string"), (int, "integer")):
        if kinds == {kind}:
            return {"type": name, **schema}
    return schema


def _reached(schema: Any, definitions: dict[str, Any]) -> set[str]:
    """The names of the definitions that lie behind a schema's references."""
    found: set[str] = set()
    waiting = [schema]
    while waiting:
        one = waiting.pop()
        if isinstance(one, list):
            waiting.extend(one)
        elif isinstance(one, dict):
            reference = one.get("$ref")
            if isinstance(reference, str) and reference.startswith(_PREFIX):
                name = reference.removeprefix(_PREFIX)
                if name not in found and name in definitions:
                    found.add(name)
                    waiting.append(definitions[name])
            waiting.extend(one.values())
    return found
