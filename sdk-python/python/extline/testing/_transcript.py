"""Every frame, both ways."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ._native import HostSteps


class Line:
    """One line: ``side`` is ``host`` or ``extension``, ``json`` the line as it went."""

    __slots__ = ("json", "side")

    def __init__(self, side: str, json: str) -> None:
        self.side = side
        self.json = json

    @property
    def frame(self) -> Any:
        """The frame as a dict. Raises ValueError for a line that is no JSON."""
        from .._native import loads

        return loads(self.json)

    def __str__(self) -> str:
        return f"{self.side:9} > {self.json}"

    def __repr__(self) -> str:
        return f"<Line {self}>"


class Transcript:
    """The lines in their order; ``str()`` shows them one below the other."""

    def __init__(self, steps: HostSteps) -> None:
        self._steps = steps
        self._known: list[Line] = []

    def frames(self, side: str, type: str | None = None) -> list[dict[str, Any]]:
        """The frames that one side sent, or those of a type."""
        found = [line.frame for line in self if line.side == side and line.json]
        return [frame for frame in found if type is None or frame.get("type") == type]

    def tail(self) -> str:
        """The end of it, as it stands in a failure."""
        return self._steps.tail()

    def _lines(self) -> list[Line]:
        self._known += [Line(*line) for line in self._steps.lines(len(self._known))]
        return self._known

    def __iter__(self) -> Iterator[Line]:
        return iter(self._lines())

    def __len__(self) -> int:
        return len(self._lines())

    def __str__(self) -> str:
        return "\n".join(map(str, self))
