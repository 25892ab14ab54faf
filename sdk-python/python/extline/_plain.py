"""JSON Schema from plain annotations: str, int, float, bool, None, Any, Literal, Optional and
other unions, list, dict, their abstract cousins, set, tuple, Annotated with a text, and the
author's own classes made of these (``_classes``).

Nothing is imported for it: whoever writes ``Literal`` has loaded ``typing`` already, and its
objects say the rest in their attributes. What is not plain becomes a leaf, to be described by
msgspec or pydantic.
"""

from __future__ import annotations

from ._mistake import ArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    # What becomes of a value on its way to the handler, by its exact type. Numbers change, as JSON
    # has one kind of them and 3.0 is an integer to a schema; and see Objects.
    Conversion: TypeAlias = "dict[type, Callable[[Any], Any]]"
    # A schema, and the conversion of what it lets through.
    Read: TypeAlias = "tuple[dict[str, Any], Conversion]"

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


class Objects(dict):  # type: ignore[type-arg]  # a base is evaluated, and has no arguments here
    """A conversion that makes objects of values, or a part of them: it may not be passed over."""


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
        reader = Reader(resolve, [])
        self.schema, self.conversion = reader.read(annotation, 0)
        self.leaves = reader.leaves

    def allow_none(self) -> None:
        schema = self.schema
        text = schema.pop("description", None)
        if "anyOf" in schema:
            schema["anyOf"].append({"type": "null"})
        else:
            self.schema = {"anyOf": [schema, {"type": "null"}]}
        if text:
            self.schema["description"] = text


class Reader:
    """Reads one annotation: ``resolve`` knows what its strings say, ``classes`` are those that were
    read on the way to it."""

    def __init__(self, resolve: Callable[[str], Any], classes: list[Any]) -> None:
        self.leaves: list[Leaf] = []
        self._resolve = resolve
        self._classes = classes

    def read(self, annotation: Any, depth: int) -> Read:
        if depth > _DEEPEST:
            raise ValueError(f"nests more than {_DEEPEST} levels deep; use a named class for it")
        annotation = self.named(annotation)
        before = len(self.leaves)
        if annotation is None or type(annotation) is type:
            found = self._class(annotation)
        elif _is_typing(annotation, "Any"):
            found = {}, {}
        elif hasattr(annotation, "__metadata__"):
            found = self._annotated(annotation, depth)
        else:
            found = self._composed(annotation, depth)
        if found is None and isinstance(annotation, type) and not hasattr(annotation, "__args__"):
            from ._classes import read_class

            found = read_class(annotation, depth, self._classes)
        if found is None:
            del self.leaves[before:]
            return self._leaf(annotation)
        return found

    def named(self, annotation: Any) -> Any:
        """The annotation behind a string, a forward reference, a NewType or a ``type`` alias."""
        for _ in range(_DEEPEST):
            if isinstance(annotation, str):
                annotation = self._resolve(annotation)
            elif type(annotation).__name__ == "ForwardRef":
                annotation = self._resolve(annotation.__forward_arg__)
            elif type(annotation).__name__ == "TypeAliasType" and not hasattr(
                annotation, "__origin__"
            ):
                annotation = annotation.__value__
            elif hasattr(annotation, "__supertype__"):
                annotation = annotation.__supertype__
            else:
                break
        return annotation

    def _class(self, annotation: Any) -> Read | None:
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
        if annotation is tuple:
            return {"type": "array", "items": {}}, Objects({list: tuple})
        return ({}, {}) if annotation is object else None

    def _composed(self, annotation: Any, depth: int) -> Read | None:
        origin = getattr(annotation, "__origin__", None)
        args: tuple[Any, ...] = getattr(annotation, "__args__", ())
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
        if origin is tuple and len(args) == 2 and args[1] is ...:
            return self._array(tuple, args[0], depth)
        if origin in (set, frozenset) and args:
            return self._set(origin, args[0], depth)
        return None

    def _list(self, args: tuple[Any, ...], depth: int) -> Read:
        items, inner = self.read(args[0], depth + 1) if args else ({}, {})
        return {"type": "array", "items": items}, _like(inner, list, _each(inner))

    def _array(self, kind: type, items: Any, depth: int) -> Read:
        """What becomes a tuple or set."""
        schema, inner = self._list((items,), depth)
        change = inner.get(list, list)
        return schema, Objects({list: lambda values: kind(change(values))})

    def _set(self, kind: type, items: Any, depth: int) -> Read | None:
        schema, conversion = self._array(kind, items, depth)
        schema["uniqueItems"] = True
        # Not every value of another type can be in a set.
        return (schema, conversion) if schema["items"].get("type") in SCALARS.values() else None

    def _dict(self, args: tuple[Any, ...], depth: int) -> Read | None:
        if args and self.named(args[0]) is not str:
            return None
        schema: dict[str, Any] = {"type": "object"}
        members, inner = self.read(args[1], depth + 1) if args else ({}, {})
        if members or any(leaf.schema is members for leaf in self.leaves):
            schema["additionalProperties"] = members
        return schema, _like(inner, dict, _every(inner))

    def _union(self, args: tuple[Any, ...], depth: int) -> Read | None:
        alternatives: list[dict[str, Any]] = []
        conversion: Conversion = {}
        taken: set[Any] = set()
        made: set[Any] = set()
        for arg in args:
            schema, inner = self.read(arg, depth + 1)
            alternatives.append(schema)
            own = kinds(schema)
            makes = inner.keys() if isinstance(inner, Objects) else set()
            if makes & taken or own & made:
                return None  # which of them a value is to become, the kind of the value cannot say
            # Where several alternatives take the same kind of number, it stays what it is.
            for kind in own & taken:
                conversion.pop(kind, None)
            conversion.update({k: f for k, f in inner.items() if k not in taken})
            taken |= own
            made |= makes
        return {"anyOf": alternatives}, Objects(conversion) if made else conversion

    def _annotated(self, annotation: Any, depth: int) -> Read | None:
        if any(constrains(one) for one in annotation.__metadata__):
            return None
        schema, conversion = self.read(annotation.__origin__, depth + 1)
        text = described(annotation)
        if text:
            schema["description"] = text
        return schema, conversion

    def _leaf(self, annotation: Any) -> Read:
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


def _like(inner: Conversion, kind: type, change: Callable[[Any], Any]) -> Conversion:
    """The conversion of what holds values that ``inner`` converts: none if that is none."""
    return type(inner)({kind: change} if inner else {})


def _each(inner: Conversion) -> Callable[[Any], Any]:
    def change(values: list[Any]) -> list[Any]:
        changed: list[Any] = []
        try:
            for value in values:
                changed.append(convert(value, inner))
        except ArgumentError as error:
            raise error.inside(len(changed)) from None
        return changed

    return change


def _every(inner: Conversion) -> Callable[[Any], Any]:
    return lambda value: convert_members(value, dict.fromkeys(value, inner))


def convert_members(value: dict[str, Any], members: dict[str, Conversion]) -> dict[str, Any]:
    """The members that are named, converted."""
    changed: dict[str, Any] = {}
    for name, member in value.items():
        conversion = members.get(name)
        if conversion is not None:
            try:
                changed[name] = convert(member, conversion) if conversion else member
            except ArgumentError as error:
                raise error.inside(name) from None
    return changed


def whole(value: Any) -> Any:
    """3.0 as 3: a schema's ``integer`` is any number without a fraction."""
    return int(value) if value.is_integer() else value


def real(value: Any) -> Any:
    """3 as 3.0, if a float can hold it."""
    try:
        return float(value)
    except OverflowError:
        return value


def _literal(args: tuple[Any, ...]) -> Read:
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
