"""Every frame, both ways."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

# How much of it stands in a failure.
_TAIL_LINES = 12
_TAIL_LINE = 200


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

    def __init__(self) -> None:
        self._lines: list[Line] = []
        self._begun = {"host": b"", "extension": b""}

    def add(self, side: str, data: bytes) -> None:
        """Takes in what went, whole lines or not."""
        *whole, self._begun[side] = (self._begun[side] + data).split(b"\n")
        for line in whole:
            self._lines.append(Line(side, line.decode(errors="replace")))

    def frames(self, side: str, type: str | None = None) -> list[dict[str, Any]]:
        """The frames that one side sent, or those of a type."""
        found = [line.frame for line in self._lines if line.side == side and line.json]
        return [frame for frame in found if type is None or frame.get("type") == type]

    def tail(self) -> str:
        """The end of it, as it stands in a failure."""
        left_out = max(0, len(self._lines) - _TAIL_LINES)
        title = f"the last frames, after {left_out} others:" if left_out else "the frames:"
        lines = [str(line) for line in self._lines[left_out:]]
        shown = [f"{one[:_TAIL_LINE]}..." if len(one) > _TAIL_LINE else one for one in lines]
        return "\n  ".join([title, *shown])

    def __iter__(self) -> Iterator[Line]:
        return iter(self._lines)

    def __len__(self) -> int:
        return len(self._lines)

    def __str__(self) -> str:
        return "\n".join(map(str, self._lines))
