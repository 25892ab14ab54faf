"""The handler of a method that the host asks for: its answer, and the parts before it."""

from __future__ import annotations

from ._handler import Handler
from ._signature import is_generator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Generator
    from typing import Any

    from ._native import Context


class MethodHandler(Handler):
    """A function that takes params. What it yields, where it does, are parts of its answer."""

    __slots__ = ("_yields",)

    def __init__(self, function: Callable[..., Any], what: str) -> None:
        super().__init__(function, what, ("params",), may_yield=True)
        self._yields = is_generator(function)
        # It waits between its parts, also where the function asks for no ctx.
        self.has_context = self.has_context or self._yields

    def call(self, ctx: Context, *values: Any) -> Any:
        """Calls it, and sends what it yields."""
        returned = super().call(ctx, *values)
        if not self._yields:
            return returned
        return _send_each_async(ctx, returned) if self.is_async else _send_each(ctx, returned)


def _send_each(ctx: Context, parts: Generator[Any, None, Any]) -> Any:
    try:
        while True:
            ctx.send_part(next(parts))
    except StopIteration as end:
        return end.value
    finally:
        parts.close()


async def _send_each_async(ctx: Context, parts: AsyncGenerator[Any, None]) -> None:
    try:
        async for part in parts:
            await ctx.send_part(part)
    finally:
        await parts.aclose()
