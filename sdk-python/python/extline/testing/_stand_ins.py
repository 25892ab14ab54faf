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

    def call(self, name: str, args: dict[str, Any]) -> tuple[list[Any], bool]:
        """What a tool answers: its blocks, and whether it failed."""
        tool = self.tools[name]
        assert tool is not None, "the host knows it"
        try:
            result = _result(tool(**args))
        except ToolError as error:
            return [{"type": "text", "text": error.message}], True
        return result.get("content", []), result.get("is_error", False)

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
