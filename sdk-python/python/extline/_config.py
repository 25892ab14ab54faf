"""The configuration that the host gives, as the author's own type."""

from __future__ import annotations

import sys

from ._mistake import ArgumentError, DefinitionError, type_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    from ._native import Session

    Make: TypeAlias = "Callable[[dict[str, Any]], Any]"

_HINT = (
    "set it with `extline config DIR KEY VALUE`, give it with `--config FILE`, or give the member a "
    "default; a host without configurations gives none"
)


class ConfigError(ValueError):
    """A configuration that does not fit the author's model; the text has the JSON pointer."""

    # As an author imports it, and as a traceback names it.
    __module__ = "extline"


class Source:
    """What is known of the configuration of one extension: the model, and what was made last.

    A host sends another one at any time; it is read where somebody asks. May be used from any thread.
    """

    __slots__ = ("_last", "_make", "_session", "_told")

    def __init__(self) -> None:
        self._make: Make = _as_it_is
        self._session: Session | None = None
        # The text, and what was made of it; taken and replaced as one.
        self._last: tuple[str, Any] | None = None
        self._told: str | None = None

    def use(self, model: Any) -> None:
        """Makes values of that type."""
        if self._make is not _as_it_is:
            raise DefinitionError(
                "the configuration has a model already: an extension has one configuration, and one "
                "ext.config(...)"
            )
        self._make = maker(model)

    def begin(self, session: Session) -> None:
        """The host has answered. Raises ConfigError where the model cannot be made of what it gives."""
        self._session = session
        self._last = self._made(session.config() or "{}")

    def value(self) -> Any:
        """The configuration as it is now. Where the newest one does not fit, the one before, and a line in
        the log says so. Raises RuntimeError before the host has answered."""
        session, last = self._session, self._last
        if session is None or last is None:
            raise RuntimeError(
                "there is no configuration before the host has answered: use it in a handler or in setup"
            )
        text = session.config() or "{}"
        if text == last[0]:
            return last[1]
        try:
            last = self._last = self._made(text)
        except ConfigError as error:
            if self._told != text:
                self._told = text
                session.log(f"the one before goes on: {error}", "error")
        return last[1]

    def _made(self, text: str) -> tuple[str, Any]:
        from ._native import loads

        value = loads(text)
        try:
            return text, self._make(value)
        except ArgumentError as error:
            raise ConfigError(f"the configuration does not fit: {error}; {_HINT}") from None


class Config:
    """What ``ext.config(Model)`` returns: the configuration as it is at the moment, member by member."""

    __slots__ = ("_source",)

    def __init__(self, source: Source) -> None:
        object.__setattr__(self, "_source", source)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._source.value(), name)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a user sets {name}, by `extline config`; an extension does not")

    def __getitem__(self, name: Any) -> Any:
        return self._source.value()[name]

    def __contains__(self, name: object) -> bool:
        return name in self._source.value()

    def __iter__(self) -> Any:
        return iter(self._source.value())

    def __len__(self) -> int:
        return len(self._source.value())

    def __repr__(self) -> str:
        try:
            return repr(self._source.value())
        except RuntimeError:
            return "<extline configuration, before the host has answered>"


def _as_it_is(value: dict[str, Any]) -> Any:
    return value


def maker(model: Any) -> Make:
    """What makes a value of the model: by the ways of a tool's arguments."""
    from types import FunctionType

    from ._arguments import Argument, _complete
    from ._plain import Shape
    from ._scope import Scope
    from ._signature import KEYWORD_ONLY, REQUIRED, Parameter, Place

    if not isinstance(model, type) and not hasattr(model, "__origin__"):
        raise DefinitionError(
            "the model of a configuration is a class: a dataclass, a TypedDict, a model of pydantic's or "
            f"msgspec's; this is {type_name(model)}"
        )
    names = vars(sys.modules.get(getattr(model, "__module__", ""), sys.modules[__name__]))
    scope = Scope(FunctionType(_as_it_is.__code__, names))
    place = Place(None)
    one = Argument(
        Parameter("config", KEYWORD_ONLY, model, REQUIRED), Shape(model, scope.resolve)
    )
    if not one.is_plain:
        _complete([one], scope, place)
    return lambda value: one.decode(value, "")


__all__ = ["Config", "ConfigError"]
