"""Something that happened, as a handler is told of it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_FRAME = ("type", "id", "event")


class Event:
    """Something happened: ``event.event`` says what (``turn_start``, ...).

    ``event.payload`` is all that the host says about it, as a dict. ``extline.events`` has a class
    for each event, whose attributes are its fields: ``event.stop`` of an ``events.TurnEnd``. A
    field that the host does not say is None. A name that no event has raises AttributeError.
    """

    __slots__ = ("event", "payload")

    event: str
    payload: dict[str, Any]

    def __init__(self, frame: dict[str, Any]) -> None:
        self.event = frame["event"]
        self.payload = payload_of(frame)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name in self.payload:
                return self.payload[name]
            # One function may be the handler of several events.
            if name in _any_fields():
                return None
            fields = _fields(type(self))
            has = ", ".join(sorted({*fields, *self.payload}))
            raise AttributeError(
                f"the event {self.event} has no {name!r}; it has {has or 'no fields'}"
            )

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.event} {self.payload}>"


def payload_of(frame: dict[str, Any]) -> dict[str, Any]:
    """What a frame says, without what every frame has."""
    return {key: value for key, value in frame.items() if key not in _FRAME}


def _fields(kind: type) -> set[str]:
    """The fields that a class of events declares."""
    declared = (getattr(one, "__annotations__", {}) for one in kind.__mro__)
    names = {name for one in declared for name in one if not name.startswith("_")}
    return names - {"event", "payload"}


_all: set[str] = set()


def _any_fields() -> set[str]:
    """The fields of all events."""
    if not _all:
        from .events import EVENTS

        for kind in EVENTS.values():
            _all.update(_fields(kind))
    return _all
