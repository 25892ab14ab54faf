"""A tool's schema as each provider takes it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from .._native import dumps, loads
from . import _native


class UnrenderableError(ValueError):
    """A provider cannot be given a schema. Its text is a sentence for the author of the tool."""

    def __init__(self, text: str, reason: str, pointer: str) -> None:
        # All of it, so that it can be pickled.
        super().__init__(text, reason, pointer)
        self.reason = reason
        """What is in the way: ``root_type``, ``reference``, ``recursion``, ``free_form`` and so on."""
        self.pointer = pointer
        """Where, as a JSON pointer; empty for the root and for a name."""

    def __str__(self) -> str:
        return str(self.args[0])


class Note(NamedTuple):
    """One change of a schema, so that nothing is dropped in silence."""

    kind: str
    """What was done: ``typed``, ``inlined``, ``required``, ``taken_off`` and so on."""
    pointer: str
    """Where, as a JSON pointer into the schema that was given."""
    text: str
    """A sentence for the author of the tool."""


class Rendered(NamedTuple):
    """A schema that a provider takes, and what was changed for that."""

    schema: dict[str, Any]
    """The schema."""
    notes: list[Note]
    """Every change; empty where the schema says what it said before."""


def schema_for(
    provider: Literal["openai", "anthropic", "google", "mistral"],
    schema: Mapping[str, Any],
    *,
    name: str | None = None,
) -> Rendered:
    """The JSON Schema of a tool's arguments as a provider takes it: ``openai`` (its strict mode),
    ``anthropic``, ``google`` or ``mistral``. ``name`` is that of the tool, which is checked too. What cannot be given to the provider raises ``UnrenderableError``.

    Checks that the model does not see any more stay the agent's: hold the arguments to the schema of the
    tool.
    """
    made, notes = _native.schema_for(provider, dumps(schema), name)
    return Rendered(loads(made), [Note(*note) for note in notes])


def without_nulls(schema: Mapping[str, Any], args: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments without those members that are null, may be left out by the tool's own schema, and may
    not be null by it: in its strict mode OpenAI has the model give every member, null in place of leaving
    one out."""
    taken: dict[str, Any] = loads(_native.without_nulls(dumps(schema), dumps(args)))
    return taken
