"""Keys, tokens and passwords, which nothing prints by accident."""

from __future__ import annotations

from ._answered import then
from ._native import elsewhere

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

    from ._native import Context

_MASK = "***"


class Secret:
    """A key, a token or a password. ``str()``, ``repr()`` and f-strings give ``***``; ``reveal()`` gives the text.
    It is no JSON and cannot be pickled. Two are compared in constant time."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """The text, for where it is used."""
        return self._value

    def __repr__(self) -> str:
        return f"Secret({_MASK})"

    def __str__(self) -> str:
        return _MASK

    def __format__(self, spec: str) -> str:
        return format(_MASK, spec)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Secret):
            return NotImplemented
        from hmac import compare_digest

        return compare_digest(self._value.encode(), other._value.encode())

    def __hash__(self) -> int:
        return hash((Secret, self._value))

    def __copy__(self) -> Secret:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Secret:
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Secret is not pickled: pass on its name, and ask for it where it is used")


def secret(ctx: Context, name: str, purpose: str | None) -> Any:
    """What ``ctx.secret`` returns, or in an ``async`` handler awaits."""
    params = {"name": name} if purpose is None else {"name": name, "purpose": purpose}
    return _asked(ctx, "secret.get", params, Secret)


def env(ctx: Context, name: str) -> Any:
    """What ``ctx.env`` returns, or in an ``async`` handler awaits."""
    return _asked(ctx, "env.get", {"name": name}, str)


def _asked(ctx: Context, method: str, params: dict[str, str], kind: type[Any]) -> Any:
    name = params["name"]
    if not isinstance(name, str):
        raise TypeError(f"the name of a secret or a variable is a str, and this is {name!r}")
    answer = elsewhere(ctx, method, name) or ctx.request(method, params)
    return then(answer, lambda answer: kind(answer["value"]))
