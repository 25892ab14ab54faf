"""What a tool of the host's answered."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class ToolOutput:
    """The answer to ``ctx.call_tool``: its ``text``, and ``content`` with every block as a dict."""

    __slots__ = ("content", "truncated")

    def __init__(self, content: list[dict[str, Any]], truncated: bool) -> None:
        self.content = content
        self.truncated = truncated

    @property
    def text(self) -> str:
        """The text blocks, joined by line ends."""
        return "\n".join(one.get("text", "") for one in self.content if one.get("type") == "text")

    def json(self) -> Any:
        """The text, read as JSON. Raises ValueError."""
        from ._native import loads

        return loads(self.text)

    def __repr__(self) -> str:
        return f"<extline.ToolOutput {self.text[:60]!r}>"
