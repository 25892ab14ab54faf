"""What is found in the text of a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .._native import loads

if TYPE_CHECKING:
    from ._native import _CallParts, _ExtractedParts


class RepairError(ValueError):
    """A text cannot be repaired. Its text is a sentence with line and column that can go back to the
    model."""

    def __init__(self, text: str, kind: str, line: int, column: int) -> None:
        # All of it, so that it can be pickled.
        super().__init__(text, kind, line, column)
        self.kind = kind
        """What is wrong: ``blank``, ``no_json``, ``several_values``, ``goes_on``, ``too_deep``,
        ``no_key``, ``no_colon`` or ``no_value``."""
        self.line = line
        """The line, from 1."""
        self.column = column
        """The column, in characters from 1."""

    def __str__(self) -> str:
        return str(self.args[0])


class Fix(NamedTuple):
    """One thing that was changed in a text."""

    kind: str
    """What was changed: ``trailing_comma``, ``quotes``, ``cut_string`` and so on."""
    line: int
    """The line, from 1."""
    column: int
    """The column, in characters from 1."""
    found: str
    """What stood there, shortened to 40 characters; empty where something was missing."""
    text: str
    """All of it as a sentence."""


class Call(NamedTuple):
    """A call that stands in a text."""

    name: str
    """The tool; one of those that were offered."""
    arguments: dict[str, Any]
    """Its arguments."""
    id: str | None
    """The id that the model gave it, where it did."""
    envelope: str
    """How it was written: ``hermes``, ``mistral``, ``fenced`` and so on."""
    fixes: list[Fix]
    """What was repaired of its JSON; places are counted from the beginning of that JSON."""
    truncated: bool
    """Whether the text ended before its arguments did. Refuse such a call of a tool that changes
    anything."""


class Refused(NamedTuple):
    """What looks like a call by its marks and is none. It stays in the remaining text."""

    envelope: str
    """How it was written."""
    reason: str
    """What is wrong: a sentence that can go back to the model."""


class Extracted(NamedTuple):
    """What was found in a text."""

    calls: list[Call]
    """The calls, in the order of the text."""
    remaining: str
    """The text without them, and without white space around it."""
    envelope: str | None
    """How the first call was written."""
    repaired: bool
    """Whether the JSON of a call was repaired."""
    truncated: bool
    """Whether a call was cut off."""
    refused: list[Refused]
    """What looks like a call and is none."""


def call_of(parts: _CallParts) -> Call:
    """The call that came from the native half."""
    name, arguments, id, envelope, fixes, truncated = parts
    return Call(name, loads(arguments), id, envelope, [Fix(*fix) for fix in fixes], truncated)


def extracted_of(parts: _ExtractedParts) -> Extracted:
    """All that came from the native half."""
    calls, remaining, envelope, repaired, truncated, refused = parts
    found = [call_of(call) for call in calls]
    return Extracted(found, remaining, envelope, repaired, truncated, [Refused(*it) for it in refused])
