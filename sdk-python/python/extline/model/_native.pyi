"""The native half of `extline.model`. Values are JSON text. Private to the package."""

from typing import TypeAlias, final

__all__ = ["Extractor", "extract", "repair"]

_FixParts: TypeAlias = tuple[str, int, int, str, str]
_OfferedParts: TypeAlias = tuple[str, str | None]
_CallParts: TypeAlias = tuple[str, str, str | None, str, list[_FixParts], bool]
_ExtractedParts: TypeAlias = tuple[list[_CallParts], str, str | None, bool, bool, list[tuple[str, str]]]

def repair(text: str) -> tuple[str, list[_FixParts], int, bool]: ...
def extract(text: str, offered: list[_OfferedParts]) -> _ExtractedParts: ...
@final
class Extractor:
    """Finds calls in a text that comes in pieces. It may be used from any thread, by one at a time."""

    def __new__(cls, offered: list[_OfferedParts]) -> Extractor: ...
    def push(self, piece: str) -> list[str | _CallParts]: ...
    def finish(self) -> tuple[list[str | _CallParts], _ExtractedParts]: ...
