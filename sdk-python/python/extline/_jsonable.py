"""Values that are no JSON by themselves, and have a plain form all the same."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def jsonable(value: Any) -> Any:
    """The plain form of ``value``; what is in it may need this again. Raises TypeError."""
    enum = sys.modules.get("enum")
    if enum is not None and isinstance(value, enum.Enum):
        return value.value
    for plain in (str, bool, int, float):
        if isinstance(value, plain):
            return plain(value)
    if isinstance(value, dict):
        return dict(value)
    if isinstance(value, (list, tuple)):
        return list(value)
    fields = getattr(value, "__dataclass_fields__", None)
    if fields is not None and not isinstance(value, type):
        return {name: getattr(value, name) for name in fields}
    names = getattr(value, "__struct_fields__", None)
    if names is not None and not isinstance(value, type):
        encoded = zip(value.__struct_encode_fields__, names)
        return {key: getattr(value, name) for key, name in encoded}
    if not isinstance(value, type) and hasattr(value, "model_dump"):
        return value.model_dump(mode="json", by_alias=True)
    return _of_library_type(value)


def _of_library_type(value: Any) -> Any:
    module = type(value).__module__
    if module == "datetime" and hasattr(value, "isoformat"):
        return value.isoformat()
    if module in ("uuid", "decimal") or hasattr(value, "__fspath__"):
        return str(value)
    if isinstance(value, (set, frozenset)):
        # In one order for the same set, where its members have one.
        try:
            return sorted(value)
        except TypeError:
            return list(value)
    if hasattr(value, "__await__"):
        if hasattr(value, "close"):
            value.close()
        raise TypeError(
            f"{_name(value)} is something to await; is `async def` missing, or an `await`?"
        )
    raise TypeError(f"{_name(value)} is no JSON value")


def _name(value: Any) -> str:
    kind = value if isinstance(value, type) else type(value)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
