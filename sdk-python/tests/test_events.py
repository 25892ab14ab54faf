"""Events: what agents say of them, and handlers for some tools alone."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from extline import DefinitionError, Extension, events
from extline.testing import AsyncHost, Host


def some_tools() -> tuple[Extension, list[str]]:
    ext = Extension("watch", "1.0.0")
    told: list[str] = []

    @ext.on("tool_result", tools=["bash", "mcp_*"])
    def some(event: events.ToolResult) -> None:
        told.append(f"some {event.tool_name}")

    @ext.on("tool_result", tools=["bash"])
    def one(event: events.ToolResult) -> None:
        told.append(f"one {event.tool_name}")

    @ext.on("tool_call")
    def every(event: events.ToolCall) -> None:
        told.append(f"every {event.tool_name}")

    return ext, told


WHOLE = ["every bash", "some bash", "one bash", "every read", "every mcp_x", "some mcp_x"]


@pytest.mark.parametrize("options", [{}, {"profile": "zot-37c7945"}])
def test_a_handler_is_told_of_the_tools_that_it_names(options: dict[str, Any]) -> None:
    ext, told = some_tools()
    with Host(ext, **options) as host:
        for tool in ("bash", "read", "mcp_x"):
            host.event("tool_call", tool_name=tool)
            host.event("tool_result", tool_name=tool)
    assert told == WHOLE


def test_so_is_one_in_an_event_loop() -> None:
    ext, told = some_tools()

    @ext.on("tool_result", tools=["nothing"])
    async def never(event: events.ToolResult) -> None:
        told.append("never")

    async def steps() -> None:
        async with AsyncHost(ext) as host:
            for tool in ("bash", "read", "mcp_x"):
                await host.event("tool_call", tool_name=tool)
                await host.event("tool_result", tool_name=tool)

    asyncio.run(steps())
    assert told == WHOLE


@pytest.mark.parametrize(
    ("event", "tools", "says"),
    [
        ("turn_end", ["bash"], "about no tool"),
        ("tool_call", [], "name at least one tool"),
        ("tool_call", ["a\\b"], "a backslash stands only before"),
    ],
)
def test_tools_that_cannot_be_meant_are_told_at_the_line(event: Any, tools: Any, says: str) -> None:
    ext = Extension("watch", "1.0.0")

    def handler(event: Any) -> None: ...

    with pytest.raises((DefinitionError, ValueError), match=says):
        ext.on(event, tools=tools)(handler)
    with pytest.raises(TypeError, match="say which tools"):
        ext.on("tool_call", tools=[5])  # type: ignore[list-item]


def test_a_message_has_its_role_and_its_blocks() -> None:
    ext = Extension("watch", "1.0.0")
    told = []

    @ext.on("message_end")
    def ended(event: events.MessageEnd) -> None:
        told.append(event.message)

    message = {"role": "user", "content": [{"type": "text", "text": "Hello."}]}
    with Host(ext) as host:
        host.event("message_end", message=message)
    assert told == [message]
