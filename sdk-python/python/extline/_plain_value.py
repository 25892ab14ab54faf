"""What a handler returned, as JSON has it, where it is none of JSON's own types."""

from __future__ import annotations

import sys

from ._mistake import join, type_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_DEEPEST = 128
_AS_TEXT = {
    "datetime": ("datetime", "date", "time"),
    "uuid": ("UUID",),
    "decimal": ("Decimal",),
    "pathlib": ("PurePath",),
    "ipaddress": ("IPv4Address", "IPv6Address", "IPv4Network", "IPv6Network"),
}


def plain_value(value: Any, pointer: str = "", depth: int = 0) -> Any:
    """``value`` as None, bool, int, float, str, list and dict, all through.

    Taken are dataclasses, named tuples, msgspec's Struct, pydantic's models, Enum, date, time,
    timedelta, UUID, Decimal, paths, bytes (as base64), tuples, sets, other mappings and
    sequences, and NumPy's scalars and arrays. Raises TypeError with the JSON pointer of what is
    none of these, and for what contains itself. NaN stays NaN: the writer refuses it.
    """
    kind = type(value)
    if value is None or kind in (str, int, float, bool):
        return value
    if depth > _DEEPEST:
        raise TypeError(f"{_at(pointer)}nests more than {_DEEPEST} levels deep")
    if _is(value, "enum", "Enum"):
        return plain_value(value.value, pointer, depth + 1)
    if kind is dict or _is(value, "_collections_abc", "Mapping"):
        return _members(value.items(), pointer, depth)
    if kind is list or _is_sequence(value):
        return [plain_value(item, join(pointer, nth), depth + 1) for nth, item in enumerate(value)]
    return _object(value, pointer, depth)


def _object(value: Any, pointer: str, depth: int) -> Any:
    kind = type(value)
    if hasattr(kind, "__dataclass_fields__"):
        fields = sys.modules["dataclasses"].fields(value)
        return _members(((f.name, getattr(value, f.name)) for f in fields), pointer, depth)
    if hasattr(kind, "__struct_fields__"):
        # Its own encoder knows about renamed fields, tags and what is left out.
        return _by_msgspec(value, pointer, depth)
    if hasattr(kind, "__pydantic_serializer__") and hasattr(value, "model_dump"):
        return value.model_dump(mode="json", by_alias=True)
    for base in (str, int, float):
        if isinstance(value, base):
            return base(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        import binascii

        return binascii.b2a_base64(value, newline=False).decode()
    for module, names in _AS_TEXT.items():
        if any(_is(value, module, name) for name in names):
            return value.isoformat() if module == "datetime" else str(value)
    if _is(value, "datetime", "timedelta"):
        return _by_msgspec(value, pointer, depth)
    if kind.__module__.partition(".")[0] == "numpy" and hasattr(value, "tolist"):
        return plain_value(value.tolist(), pointer, depth + 1)
    raise TypeError(
        f"{_at(pointer)}{type_name(value)} is nothing JSON can hold; return text, numbers, lists, "
        "dicts, dataclasses or models"
    )


def _members(pairs: Any, pointer: str, depth: int) -> dict[str, Any]:
    found = {}
    for name, member in pairs:
        text = name if type(name) is str else _name(name, pointer)
        found[text] = plain_value(member, join(pointer, text), depth + 1)
    return found


def _name(name: Any, pointer: str) -> str:
    """A key as JSON has it, as ``json`` does it: 1 is "1", None is "null"."""
    plain = plain_value(name, pointer)
    if isinstance(plain, str):
        return plain
    if plain is None or isinstance(plain, bool):
        return {None: "null", True: "true", False: "false"}[plain]
    if isinstance(plain, (int, float)):
        return str(plain)
    raise TypeError(f"{_at(pointer)}the key {name!r} ({type_name(name)}) is no string")


def _by_msgspec(value: Any, pointer: str, depth: int) -> Any:
    import msgspec

    def inner(one: Any) -> Any:
        return plain_value(one, pointer, depth + 1)

    return msgspec.to_builtins(value, enc_hook=inner, str_keys=True)


def _is(value: Any, module: str, name: str) -> bool:
    """Whether it is of that class. Who has not loaded the module has none."""
    loaded = sys.modules.get(module)
    return loaded is not None and isinstance(value, getattr(loaded, name))


def _is_sequence(value: Any) -> bool:
    if isinstance(value, (str, bytes, bytearray, memoryview)):
        return False
    return isinstance(value, (list, tuple, set, frozenset)) or any(
        _is(value, "_collections_abc", name) for name in ("Sequence", "Set", "ValuesView")
    )


def _at(pointer: str) -> str:
    return f"{pointer}: " if pointer else ""
