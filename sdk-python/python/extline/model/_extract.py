"""Tool calls in the text of a model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from .._native import dumps
from . import _native
from ._found import Call, Extracted, call_of, extracted_of

if TYPE_CHECKING:
    from ._native import _CallParts, _OfferedParts


class Offered(NamedTuple):
    """A tool that the model was offered."""

    name: str
    """Its name, as the model was told it."""
    schema: Mapping[str, Any] | None = None
    """The JSON Schema of its arguments, which says where families write them without types whether
    ``12`` is a number or a text."""


class Extractor:
    """Finds calls in a text that comes in pieces: the same ones, however it is cut.

    ``offered`` has the tools, as names or as ``Offered``. It is for one text.
    """

    def __init__(self, offered: Iterable[str | Offered]) -> None:
        self._native = _native.Extractor(_tools(offered))

    def push(self, piece: str) -> list[str | Call]:
        """Takes the next piece of the text, and returns what has been settled by it: text that belongs
        to no call, and calls."""
        return [_part(part) for part in self._native.push(piece)]

    def finish(self) -> tuple[list[str | Call], Extracted]:
        """The text has ended: what is open is cut off. Returns the last parts, and all that was
        found."""
        parts, found = self._native.finish()
        return [_part(part) for part in parts], extracted_of(found)


def extract(text: str, offered: Iterable[str | Offered]) -> Extracted:
    """Finds the calls in a text.

    Only calls of offered tools are found, given as names or as ``Offered``. Reasoning (``<think>``),
    code fences of other languages and inline code are passed over. Where the prompt ended in
    ``<think>``, give it with the text.
    """
    return extracted_of(_native.extract(text, _tools(offered)))


def _tools(offered: Iterable[str | Offered]) -> list[_OfferedParts]:
    if isinstance(offered, str):
        raise TypeError(f"offered is the text {offered!r}: give a list of names, [{offered!r}]")
    return [_tool(it) for it in offered]


def _tool(offered: str | Offered) -> _OfferedParts:
    if isinstance(offered, str):
        return offered, None
    name, schema = offered
    return name, None if schema is None else dumps(schema)


def _part(part: str | _CallParts) -> str | Call:
    return part if isinstance(part, str) else call_of(part)
