"""Values that are none of JSON's own types, and have a plain form all the same."""

from __future__ import annotations

import sys

from ._mistake import type_name
from ._native import RawJson
from ._result import Image

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_WRITTEN = {
    "uuid": ("UUID",),
    "decimal": ("Decimal",),
    "ipaddress": ("IPv4Address", "IPv6Address", "IPv4Network", "IPv6Network"),
}


def plain_value(value: Any) -> Any:
    """The plain form of ``value``. What is in it may need this again: the writer of JSON sees to
    that, and to depth and places.

    Taken are dataclasses, msgspec's Struct, pydantic's models, Enum, date, time, timedelta, UUID,
    Decimal, paths, sets, other mappings and sequences, and NumPy's scalars and arrays. Raises
    TypeError for what is none of these, as bytes: no model reads base64.
    """
    if _is(value, "enum", "Enum"):
        return value.value
    for base in (str, int, float):
        if isinstance(value, base):
            return base(value)
    if _is(value, "_collections_abc", "Mapping"):
        return dict(value.items())
    if _is(value, "_collections_abc", "Set"):
        return _in_order(value)
    if isinstance(value, (bytes, bytearray, memoryview)) or isinstance(value, type):
        raise TypeError(f"{type_name(value)} is no JSON value")
    if any(_is(value, "_collections_abc", name) for name in ("Sequence", "ValuesView")):
        return list(value)
    return _object(value)


def plain_key(key: Any) -> str:
    """A key that is no str as JSON has it, as ``json`` does it: 1 is "1", None is "null"."""
    plain = key.value if _is(key, "enum", "Enum") else key
    if plain is None or isinstance(plain, bool):
        return {None: "null", True: "true", False: "false"}[plain]
    if not isinstance(plain, (str, int, float)):
        plain = _text(plain)
    if plain is None:
        raise TypeError(f"keys must be strings, and {key!r} is {type_name(key)}")
    return str(plain)


def _object(value: Any) -> Any:
    kind = type(value)
    if hasattr(kind, "__dataclass_fields__"):
        fields = sys.modules["dataclasses"].fields(value)
        return {field.name: getattr(value, field.name) for field in fields}
    if hasattr(kind, "__struct_fields__") or _is(value, "datetime", "timedelta"):
        # It knows of renamed fields, tags and what is left out.
        import msgspec

        return msgspec.to_builtins(value, enc_hook=_inside, str_keys=True)
    if hasattr(kind, "__pydantic_serializer__") and hasattr(value, "model_dump"):
        return value.model_dump(mode="json", by_alias=True)
    if (text := _text(value)) is not None:
        return text
    if kind.__module__.partition(".")[0] == "numpy" and hasattr(value, "tolist"):
        plain = value.tolist()
        if type(plain) is not kind:
            return plain
    if hasattr(value, "__await__"):
        if hasattr(value, "close"):
            value.close()  # or Python tells that nobody awaited it
        raise TypeError(
            f"{type_name(value)} is something to await; is `async def` missing, or an `await`?"
        )
    if isinstance(value, Image):
        raise TypeError(
            "an image is no JSON value, which a list and a dict are; several texts and images are "
            "ToolResult([...])"
        )
    if hasattr(value, "__next__"):
        raise TypeError(f"{type_name(value)} is no JSON value: make a list of it, list(...)")
    if _is(value, "extline._response", "Response"):
        raise TypeError(
            "a Response is what a command answers: return a str, a JSON value or a ToolResult"
        )
    raise TypeError(f"{type_name(value)} is no JSON value")


def _inside(value: Any) -> Any:
    return value.load() if isinstance(value, RawJson) else plain_value(value)


def _text(value: Any) -> str | None:
    """What is written as a text; None for what is not."""
    if any(_is(value, "datetime", name) for name in ("date", "time")):
        text: str = value.isoformat()
        return text
    if hasattr(type(value), "__fspath__"):
        return str(value.__fspath__())
    if any(_is(value, module, name) for module, names in _WRITTEN.items() for name in names):
        return str(value)
    return None


def _in_order(values: Any) -> list[Any]:
    """The same list for the same set, where its members have an order."""
    try:
        return sorted(values)
    except TypeError:
        return list(values)


def _is(value: Any, module: str, name: str) -> bool:
    """Whether it is of that class. Who has not loaded the module has none."""
    loaded = sys.modules.get(module)
    return loaded is not None and isinstance(value, getattr(loaded, name))
