"""The frame that registers a tool."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._describe import Described

# Options of ``ext.tool`` that stand in the frame under their own names, unless None or False.
_MEMBERS = (
    "output_schema",
    "namespace",
    "exposure",
    "interactive",
    "label",
    "strict",
    "pure",
    "approval",
)
_HINTS = ("read_only", "destructive", "idempotent", "open_world")


def register_tool(described: Described, options: dict[str, Any]) -> dict[str, Any]:
    """The frame, of a function and of what ``ext.tool`` was given. Raises ValueError."""
    frame: dict[str, Any] = {
        "type": "register_tool",
        "name": described.name,
        "description": described.description,
        "schema": described.schema,
    }
    for name in _MEMBERS:
        value = options[name]
        if value is not None and value is not False:
            frame[name] = value
    if (timeout := options["timeout"]) is not None:
        if not isinstance(timeout, (int, float)) or not 0 < timeout < float("inf"):
            raise ValueError(
                f"the tool {described.name}: timeout is in seconds, more than 0, and is {timeout!r}"
            )
        frame["timeout_ms"] = max(1, round(timeout * 1000))
    if hints := {name: options[name] for name in _HINTS if options[name] is not None}:
        frame["annotations"] = hints
    if options["sequential"]:
        frame["execution"] = "sequential"
    return frame
