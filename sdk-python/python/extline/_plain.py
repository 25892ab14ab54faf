"""JSON Schema from plain annotations: str, int, float, bool, None, Any, Literal, Optional and
other unions, list, dict, their abstract cousins, and Annotated with a text.

Nothing is imported for it: whoever writes ``Literal`` has loaded ``typing`` already, and its
objects say the rest in their attributes. What is not plain becomes a leaf, to be described by
msgspec or pydantic.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    # What becomes of a value on its way to the handler, by its exact type. Only numbers change:
    # JSON has one kind of them, and 3.0 is an integer to a schema.
    Conversion: TypeAlias = "dict[type, Callable[[Any], Any]]"

SCALARS: dict[Any, str] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    None: "null",
    type(None): "null",
}
_UnionType = type(int | str)
_LISTS = frozenset(["Sequence", "Collection", "Iterable", "MutableSequence"])
_DICTS = frozenset(["Mapping", "MutableMapping"])
_DEEPEST = 64


class Leaf:
    """A part of an annotation that is not plain. ``schema`` stands in the whole already, and is
    still empty but for a description."""

    __slots__ = ("annotation", "schema")

    def __init__(self, annotation: Any, schema: dict[str, Any]) -> None:
        self.annotation = annotation
        self.schema = schema


class Shape:
    """What an annotation says: its schema, what is not plain in it, and how values convert."""

    __slots__ = ("conversion", "leaves", "schema")

    def __init__(self, annotation: Any, resolve: Callable[[str], Any]) -> None:
        self.leaves: list[Leaf] = []
        reader = _Reader(self.leaves, resolve)
        self.schema, self.conversion = reader.read(annotation, 0)

    def allow_none(self) -> None:
        schema = self.schema
        text = schema.pop("description", None)
        if "anyOf" in schema:
            schema["anyOf"].append({"type": "null"})
        else:
            self.schema = {"anyOf": [schema, {"type": "null"}]}
        if text:
            self.schema["description"] = text


class _Reader:
    def __init__(self, leaves: list[Leaf], resolve: Callable[[str], Any]) -> None:
        self.leaves = leaves
        self.resolve = resolve

    def read(self, annotation: Any, depth: int) -> tuple[dict[str, Any], Conversion]:
        if depth > _DEEPEST:
            raise ValueError(f"nests more than {_DEEPEST} levels deep; use a named class for it")
        annotation = self._named(annotation)
        if annotation is None or type(annotation) is type:
            found = self._class(annotation)
        elif _is_typing(annotation, "Any"):
            found = {}, {}
        elif hasattr(annotation, "__metadata__"):
            found = self._annotated(annotation, depth)
        else:
            found = self._composed(annotation, depth)
        return self._leaf(annotation) if found is None else found

    def _named(self, annotation: Any) -> Any:
        """The annotation behind a string, a forward reference, a NewType or a ``type`` alias."""
        for _ in range(_DEEPEST):
            if isinstance(annotation, str):
                annotation = self.resolve(annotation)
            elif type(annotation).__name__ == "ForwardRef":
                annotation = self.resolve(annotation.__forward_arg__)
            elif type(annotation).__name__ == "TypeAliasType" and not hasattr(
                annotation, "__origin__"
            ):
                annotation = annotation.__value__
            elif hasattr(annotation, "__supertype__"):
                annotation = annotation.__supertype__
            else:
                break
        return annotation

    def _class(self, annotation: Any) -> tuple[dict[str, Any], Conversion] | None:
        if annotation in SCALARS:
            name = SCALARS[annotation]
            conversion: Conversion = {}
            if name == "integer":
                conversion = {float: whole}
            elif name == "number":
                conversion = {int: real}
            return {"type": name}, conversion
        if annotation is list:
            return {"type": "array", "items": {}}, {}
        if annotation is dict:
            return {"type": "object"}, {}
        return ({}, {}) if annotation is object else None

    def _composed(self, annotation: Any, depth: int) -> tuple[dict[str, Any], Conversion] | None:
        origin = getattr(annotation, "__origin__", None)
        args = getattr(annotation, "__args__", ())
        if isinstance(annotation, _UnionType) or _is_typing(origin, "Union"):
            return self._union(args, depth)
        if _is_typing(origin, "Literal"):
            return _literal(args)
        if origin is None:
            origin = annotation
        if any(type(arg).__name__ == "TypeVar" for arg in args):
            args = ()
        if origin is list or _is_abstract(origin, _LISTS):
            return self._list(args, depth)
        if origin is dict or _is_abstract(origin, _DICTS):
            return self._dict(args, depth)
        return None

    def _list(self, args: tuple[Any, ...], depth: int) -> tuple[dict[str, Any], Conversion]:
        items, inner = self.read(args[0], depth + 1) if args else ({}, {})
        schema = {"type": "array", "items": items}
        return schema, ({list: lambda values: [convert(v, inner) for v in values]} if inner else {})

    def _dict(self, args: tuple[Any, ...], depth: int) -> tuple[dict[str, Any], Conversion] | None:
        if args and self._named(args[0]) is not str:
            return None
        schema: dict[str, Any] = {"type": "object"}
        members, inner = self.read(args[1], depth + 1) if args else ({}, {})
        if members or any(leaf.schema is members for leaf in self.leaves):
            schema["additionalProperties"] = members
        if not inner:
            return schema, {}
        return schema, {dict: lambda value: {k: convert(v, inner) for k, v in value.items()}}

    def _union(self, args: tuple[Any, ...], depth: int) -> tuple[dict[str, Any], Conversion]:
        alternatives: list[dict[str, Any]] = []
        conversion: Conversion = {}
        taken: set[Any] = set()
        for arg in args:
            schema, inner = self.read(arg, depth + 1)
            alternatives.append(schema)
            # Where several alternatives take the same kind of value, it stays what it is.
            own = kinds(schema)
            for kind in own & taken:
                conversion.pop(kind, None)
            conversion.update({k: f for k, f in inner.items() if k not in taken})
            taken |= own
        return {"anyOf": alternatives}, conversion

    def _annotated(self, annotation: Any, depth: int) -> tuple[dict[str, Any], Conversion] | None:
        if any(constrains(one) for one in annotation.__metadata__):
            return None
        schema, conversion = self.read(annotation.__origin__, depth + 1)
        text = described(annotation)
        if text:
            schema["description"] = text
        return schema, conversion

    def _leaf(self, annotation: Any) -> tuple[dict[str, Any], Conversion]:
        text = described(annotation)
        leaf = Leaf(annotation, {"description": text} if text else {})
        self.leaves.append(leaf)
        return leaf.schema, {}


def described(annotation: Any) -> str:
    """The text of ``Annotated[T, "text"]`` or ``Annotated[T, Doc("text")]``, else nothing."""
    texts = [
        text.strip()
        for one in getattr(annotation, "__metadata__", ())
        if isinstance(text := getattr(one, "documentation", one), str)
    ]
    return texts[-1] if texts else ""


def alternatives(annotation: Any) -> tuple[Any, ...]:
    """The members of a union; of anything else, itself."""
    origin = getattr(annotation, "__origin__", None)
    if isinstance(annotation, _UnionType) or _is_typing(origin, "Union"):
        members: tuple[Any, ...] = annotation.__args__
        return members
    return (annotation,)


def constrains(metadata: Any) -> bool:
    """Whether what stands in an ``Annotated`` is a library's word on the values."""
    module = type(metadata).__module__.partition(".")[0]
    return module in ("msgspec", "pydantic", "annotated_types")


def convert(value: Any, conversion: Conversion) -> Any:
    change = conversion.get(type(value))
    return value if change is None else change(value)


def whole(value: Any) -> Any:
    """3.0 as 3: a schema's ``integer`` is any number without a fraction."""
    return int(value) if value.is_integer() else value


def real(value: Any) -> Any:
    """3 as 3.0, if a float can hold it."""
    try:
        return float(value)
    except OverflowError:
        return value


def _literal(args: tuple[Any, ...]) -> tuple[dict[str, Any], Conversion]:
    for arg in args:
        if type(arg) not in SCALARS:
            raise ValueError(f"no JSON is {arg!r}; use its value, or an enum of its own")
    schema: dict[str, Any] = {"enum": list(args)}
    names = {SCALARS[type(arg)] for arg in args}
    if len(names) == 1:
        schema = {"type": names.pop(), **schema}
    return schema, ({float: whole} if any(type(arg) is int for arg in args) else {})


def kinds(schema: dict[str, Any]) -> set[Any]:
    """The kinds of JSON values a schema of this module may take, as Python types."""
    if "anyOf" in schema:
        return {kind for one in schema["anyOf"] for kind in kinds(one)}
    by_name: dict[str, set[Any]] = {
        "string": {str}, "integer": {int, float}, "number": {int, float}, "boolean": {bool},
        "null": {type(None)}, "array": {list}, "object": {dict},
    }  # fmt: skip
    if "type" in schema:
        return by_name[schema["type"]]
    if "enum" in schema:
        return {kind for value in schema["enum"] for kind in by_name[SCALARS[type(value)]]}
    return {str, int, float, bool, type(None), list, dict}


def _is_typing(annotation: Any, name: str) -> bool:
    if getattr(annotation, "__module__", None) not in ("typing", "typing_extensions"):
        return False
    return name in (getattr(annotation, "_name", None), getattr(annotation, "__name__", None))


def _is_abstract(annotation: Any, names: frozenset[str]) -> bool:
    return (
        getattr(annotation, "__module__", None) == "collections.abc"
        and getattr(annotation, "__name__", None) in names
    )
