"""JSON as models write it."""

from __future__ import annotations

from .._native import loads
from . import _native
from ._found import Fix, Repaired


def repair(text: str) -> Repaired:
    """Reads one JSON value from what a model wrote, and mends it where it is no valid JSON.

    Text around the value is left out; a value inside of another is never taken for the whole. What
    several values could be meant by raises ``RepairError``, as does a text without one. The time is
    linear in the length of the text.
    """
    value, fixes, unlisted, truncated = _native.repair(text)
    return Repaired(loads(value), [Fix(*fix) for fix in fixes], unlisted, truncated)
