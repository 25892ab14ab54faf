"""What msgspec knows of a type, and does not write into its schema."""

from __future__ import annotations

import msgspec.inspect as known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def complete(annotations: list[Any], schemas: list[Any], definitions: dict[str, Any]) -> None:
    """Adds to each schema of a ``datetime`` that it is a ``date-time``, wherever it stands, and to
    that of a dict with the members of an Enum as keys which names it takes."""
    walk = _Walk(definitions)
    for kind, schema in zip(known.multi_type_info(annotations), schemas):
        walk.go(kind, schema)


class _Walk:
    """Goes through types and their schemas side by side."""

    def __init__(self, definitions: dict[str, Any]) -> None:
        self._definitions = definitions
        self._seen: set[str] = set()

    def go(self, kind: Any, schema: Any) -> None:
        if not isinstance(schema, dict):
            return
        if isinstance(schema.get("$ref"), str):
            name = schema["$ref"].rpartition("/")[2]
            if name not in self._seen:
                self._seen.add(name)
                self.go(kind, self._definitions.get(name))
            return
        if isinstance(kind, known.Metadata):
            self.go(kind.type, schema)
        elif isinstance(kind, known.DateTimeType):
            schema.setdefault("format", "date-time")
        elif isinstance(kind, known.UnionType):
            self._union(kind, schema)
        elif isinstance(kind, known.TupleType):
            for one, inner in zip(kind.item_types, schema.get("prefixItems", ())):
                self.go(one, inner)
        elif isinstance(kind, known.DictType):
            if isinstance(kind.key_type, known.EnumType):
                names = [str(one.value) for one in kind.key_type.cls]
                schema.setdefault("propertyNames", {"enum": sorted(names)})
            self.go(kind.value_type, schema.get("additionalProperties"))
        elif hasattr(kind, "item_type"):
            self.go(kind.item_type, schema.get("items"))
        else:
            self._members(kind, schema)

    def _union(self, kind: Any, schema: dict[str, Any]) -> None:
        """msgspec takes one kind of text in a union, and one of objects and of arrays."""
        for one in kind.types:
            for inner in schema.get("anyOf", ()):
                if _may_be(one, inner):
                    self.go(one, inner)

    def _members(self, kind: Any, schema: dict[str, Any]) -> None:
        properties = schema.get("properties", {})
        for nth, field in enumerate(getattr(kind, "fields", ())):
            name = getattr(field, "encode_name", field.name)
            if name in properties:
                self.go(field.type, properties[name])
            elif nth < len(schema.get("prefixItems", ())):
                self.go(field.type, schema["prefixItems"][nth])


def _may_be(kind: Any, schema: dict[str, Any]) -> bool:
    if "$ref" in schema:
        # One of several, of which the name says which it is.
        cls = getattr(kind, "cls", None)
        return cls is not None and schema["$ref"].rpartition("/")[2] == cls.__name__
    if isinstance(kind, known.DateTimeType):
        return bool(schema == {"type": "string"})
    is_array = hasattr(kind, "item_type") or isinstance(kind, known.TupleType)
    return schema.get("type") == ("array" if is_array else "object")
