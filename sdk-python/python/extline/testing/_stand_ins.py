"""What a testing host has for the extension: other tools to call, and methods."""

from __future__ import annotations

from .._errors import ToolError
from .._result import Image, ToolResult

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class StandIns:
    """Functions of the test's, by name. A tool that is None never answers."""

    def __init__(
        self, tools: dict[str, Callable[..., Any] | None], methods: dict[str, Callable[..., Any]]
    ) -> None:
        self.tools = tools
        self.methods = methods

    def forget(self) -> None:
        """Runs nothing of the test's any more."""
        self.tools, self.methods = {}, {}

    def call(self, name: str, args: dict[str, Any]) -> dict[str, Any] | None:
        """What a tool answers: a frame without its id; None for never."""
        tool = self.tools[name]
        if tool is None:
            return None
        try:
            result = _result(tool(**args))
        except ToolError as error:
            result = {"content": [{"type": "text", "text": error.message}], "is_error": True}
        kept = {key: value for key, value in result.items() if key in ("content", "is_error")}
        return {"type": "tool_result", "id": "0", "name": name, **kept}

    def request(self, method: str, params: Any) -> tuple[list[Any], Any]:
        """The parts and the result: a generator yields the parts and returns the result."""
        result = self.methods[method](params)
        if not hasattr(result, "send"):
            return [], result
        parts = []
        while True:
            try:
                parts.append(next(result))
            except StopIteration as end:
                return parts, end.value


def _result(value: Any) -> dict[str, Any]:
    if isinstance(value, ToolResult):
        return value._frame()
    if isinstance(value, (str, Image)) or value is None:
        return ToolResult(value)._frame()
    return ToolResult(structured=value)._frame()
