"""An author's own classes, made of what ``_plain`` reads: dataclasses, TypedDict and Enum.

Schemas are those that msgspec makes, and a value becomes what msgspec makes of it; but msgspec
takes longer to load than all the rest of an extension. What is odd about a class is left to it.
"""

from __future__ import annotations

import sys

from ._docstring import dedented
from ._fits import objection
from ._mistake import ArgumentError
from ._native import dumps, loads
from ._plain import Objects, Reader, convert_members

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ._plain import Conversion, Read

# Each class is described where it is used. One that contains itself, or takes more than that many
# to describe, needs definitions to refer to.
_MOST = 200


def read_class(kind: Any, depth: int, classes: list[Any]) -> Read | None:
    """Its schema, and what makes one of a value; None for a class that is for others to read."""
    classes.append(kind)
    if len(classes) > _MOST or hasattr(kind, "__pydantic_core_schema__"):
        return None
    enum = sys.modules.get("enum")
    try:
        if enum is not None and isinstance(kind, enum.EnumMeta):
            return _enum(kind, enum.Enum)
        if type(kind).__name__ == "_TypedDictMeta":
            return _typed_dict(kind, depth, classes)
        if hasattr(kind, "__dataclass_fields__"):
            return _dataclass(kind, depth, classes)
    except Exception:
        pass  # who is asked next says what is wrong with it
    return None


def _enum(kind: Any, base: Any) -> Read | None:
    values = [one.value for one in kind]
    # Of a class that takes other values too, they do not say all.
    if kind._missing_.__func__ is not base._missing_.__func__:
        return None
    name = {str: "string", int: "integer"}[type(values[0])]
    if any(type(value) is not type(values[0]) for value in values):
        return None
    schema = {"type": name, **_text(kind), "enum": sorted(values)}
    # An integer may be written 2.0, and that equals 2.
    return schema, Objects(dict.fromkeys([str] if name == "string" else [int, float], kind))


class _Members:
    """The members of objects, as they are read one by one."""

    def __init__(self, depth: int, classes: list[Any]) -> None:
        self.depth = depth
        self.classes = classes
        self.schemas: dict[str, Any] = {}
        self.conversions: dict[str, Conversion] = {}
        self.required: list[str] = []
        self.are_plain = True

    def add(self, name: str, annotation: Any, reader: Reader) -> dict[str, Any]:
        schema, self.conversions[name] = reader.read(annotation, self.depth + 1)
        self.schemas[name] = schema
        self.are_plain = self.are_plain and not reader.leaves
        return schema

    def schema_of(self, kind: Any) -> dict[str, Any]:
        schema = {"type": "object", **_text(kind), "properties": self.schemas}
        return {**schema, "required": self.required} if self.required else schema


def _typed_dict(kind: Any, depth: int, classes: list[Any]) -> Read | None:
    members = _Members(depth, classes)
    for name, annotation in kind.__annotations__.items():
        module = getattr(annotation, "__forward_module__", None) or kind.__module__
        reader = Reader(_resolver(module, kind), classes)
        annotation = reader.named(annotation)
        is_required = name in kind.__required_keys__
        # In a string it was not seen by who made the class.
        origin = getattr(annotation, "__origin__", None)
        word = getattr(origin, "_name", None)
        if word in ("Required", "NotRequired"):
            is_required = word == "Required"
            annotation = annotation.__args__[0]
        members.add(name, annotation, reader)
        if is_required:
            members.required.append(name)
        if not members.are_plain:
            return None
    # What it does not name, it does not have.
    return members.schema_of(kind), Objects({dict: _picker(members.conversions)})


def _dataclass(kind: Any, depth: int, classes: list[Any]) -> Read | None:
    dataclasses = sys.modules["dataclasses"]
    members = _Members(depth, classes)
    # What is not given to `__init__`, the class sees to itself.
    fields = [field for field in dataclasses.fields(kind) if field.init]
    if _parameters(kind.__init__) != {field.name for field in fields}:
        return None
    for field in fields:
        home = _home(kind, field)
        schema = members.add(field.name, field.type, Reader(_resolver(home.__module__, home), classes))
        if not members.are_plain:
            return None
        if field.default is not dataclasses.MISSING:
            try:
                schema["default"] = loads(dumps(field.default))
            except (TypeError, ValueError):
                pass  # no JSON, so that no model sees it
        elif field.default_factory is dataclasses.MISSING:
            members.required.append(field.name)
    pick = _picker(members.conversions)

    def make(value: dict[str, Any]) -> Any:
        given = pick(value)
        try:
            return kind(**given)
        except (TypeError, ValueError) as error:  # of its `__post_init__`
            raise ArgumentError(objection(str(error), value), "") from None

    return members.schema_of(kind), Objects({dict: make})


def _picker(conversions: dict[str, Conversion]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda value: convert_members(value, conversions)


def _parameters(init: Any) -> set[str]:
    """Without the first one, which is the object."""
    code = init.__code__
    return set(code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount])


def _home(kind: Any, field: Any) -> Any:
    """The class that a field was written in, whose names its annotation sees."""
    homes = (one for one in reversed(kind.__mro__) if "__dataclass_fields__" in vars(one))
    return next(one for one in homes if one.__dataclass_fields__.get(field.name) is field)


def _resolver(module: str, kind: Any) -> Callable[[str], Any]:
    return lambda text: eval(text, vars(sys.modules[module]), dict(vars(kind)))


def _text(kind: Any) -> dict[str, Any]:
    """What its docstring says, unless that was made and not written."""
    doc = "\n".join(dedented(kind.__doc__ or "")).strip()
    is_made = doc.startswith(f"{kind.__name__}(") and doc.endswith(")")
    return {"description": doc} if doc and not is_made and doc != "An enumeration." else {}
