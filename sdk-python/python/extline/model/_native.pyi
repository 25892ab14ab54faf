"""The native half of `extline.model`. Private to the package, but what that takes out of it."""

from typing import Any, TypeAlias, final

from ._found import Fix

__all__ = ["Extractor", "Repaired", "extract", "repair", "schema_for", "without_nulls"]

_FixParts: TypeAlias = tuple[str, int, int, str, str]
_OfferedParts: TypeAlias = tuple[str, str | None]
_CallParts: TypeAlias = tuple[str, str, str | None, str, list[_FixParts], bool]
_ExtractedParts: TypeAlias = tuple[list[_CallParts], str, str | None, bool, bool, list[tuple[str, str]]]

def repair(text: str) -> Repaired:
    """Reads one JSON value from what a model wrote, and mends it where it is no valid JSON.

    Text around the value is left out; a value inside of another is never taken for the whole. What
    several values could be meant by raises ``RepairError``, as does a text without one. The time is
    linear in the length of the text.
    """

@final
class Repaired:
    """A value that was read, and what had to be changed for it."""

    def __new__(cls, value: object, fixes: list[Fix], unlisted: int, truncated: bool) -> Repaired: ...
    @property
    def value(self) -> Any:
        """The value. Of two members of one name it has the last."""

    @property
    def fixes(self) -> list[Fix]:
        """What was changed, in the order of the text; empty where it was valid JSON."""

    @property
    def unlisted(self) -> int:
        """How many fixes there were beyond the 1,000 that are listed."""

    @property
    def truncated(self) -> bool:
        """Whether the text ended before the value did, so that there may have been more of it."""

    def __eq__(self, other: object, /) -> bool: ...
    def __reduce__(self) -> tuple[type[Repaired], tuple[Any, list[Fix], int, bool]]: ...

def extract(text: str, offered: list[_OfferedParts]) -> _ExtractedParts: ...
def schema_for(provider: str, schema: str, name: str | None) -> tuple[str, list[tuple[str, str, str]]]: ...
def without_nulls(schema: str, args: str) -> str: ...
@final
class Extractor:
    """Finds calls in a text that comes in pieces. It may be used from any thread, by one at a time."""

    def __new__(cls, offered: list[_OfferedParts]) -> Extractor: ...
    def push(self, piece: str) -> list[str | _CallParts]: ...
    def finish(self) -> tuple[list[str | _CallParts], _ExtractedParts]: ...
