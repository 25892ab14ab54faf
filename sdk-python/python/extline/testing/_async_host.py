"""The testing host for tests that are coroutines."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from ._host import Call, Host

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from typing_extensions import ParamSpec, Self

    from .._extension import Extension
    from ._answers import Answer, CommandAnswer, MethodAnswer, Ruling

    P = ParamSpec("P")
    T = TypeVar("T")


# A failure as pytest shows it ends with the test's own line.
__tracebackhide__ = True


class AsyncHost:
    """A ``Host`` whose steps are awaited: ``async with AsyncHost(ext) as host: ...``.

    The steps have the names and arguments of ``Host``, and several may be under way: they are done
    one after the other, in a thread. What has been seen (``notes``, ``panels``, ``transcript``, ...)
    is that of ``host.seen``, the ``Host``.
    """

    def __init__(self, extension: Extension, **options: Any) -> None:
        #: The host whose steps these are.
        self.seen = Host(extension, **options)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="extline testing")

    async def _do(self, step: Callable[P, T], *args: P.args, **more: P.kwargs) -> T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, partial(step, *args, **more))

    async def __aenter__(self) -> Self:
        await self._do(self.seen.start)
        return self

    async def __aexit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        await self._do(self.seen.__exit__, kind, error, trace)
        self._thread.shutdown(wait=False)

    async def call(self, tool: str, args: dict[str, Any] | None = None, /, **more: Any) -> Answer:
        """Calls a tool and waits for its answer."""
        return await self._do(self.seen.call, tool, args, **more)

    async def call_with_key(
        self, operation_key: str, tool: str, args: dict[str, Any] | None = None, /, **more: Any
    ) -> Answer:
        """Calls a tool with a key, which the tool finds in ``ctx.operation_key``."""
        return await self._do(self.seen.call_with_key, operation_key, tool, args, **more)

    async def reconcile(
        self, operation_key: str, tool: str, args: dict[str, Any] | None = None, /, **more: Any
    ) -> Answer:
        """Asks a tool with ``replay="reconcile"`` what became of the call of that key."""
        return await self._do(self.seen.reconcile, operation_key, tool, args, **more)

    async def begin(self, tool: str, args: dict[str, Any] | None = None, /, **more: Any) -> Call:
        """Calls a tool; ``finish`` waits for its answer."""
        return await self._do(self.seen.begin, tool, args, **more)

    async def next_update(self, call: Call) -> dict[str, Any]:
        """Waits for the next update of a call."""
        return await self._do(self.seen.next_update, call)

    async def cancel(self, call: Call) -> None:
        """Tells the extension that the answer is not wanted any more."""
        await self._do(self.seen.cancel, call)

    async def finish(self, call: Call) -> Answer:
        """Waits for the answer to a call."""
        return await self._do(self.seen.finish, call)

    async def command(self, name: str, args: str = "") -> CommandAnswer:
        """Runs a command with what a user typed behind it."""
        return await self._do(self.seen.command, name, args)

    async def event(self, name: str, payload: dict[str, Any] | None = None, /, **more: Any) -> None:
        """Tells of an event, and waits until its handlers have ended."""
        await self._do(self.seen.event, name, payload, **more)

    async def intercept(
        self, point: str, payload: dict[str, Any] | None = None, /, **more: Any
    ) -> Ruling:
        """Asks interceptors and then guards about what is about to happen."""
        return await self._do(self.seen.intercept, point, payload, **more)

    async def request(self, method: str, params: Any = None) -> MethodAnswer:
        """Asks the extension by method."""
        return await self._do(self.seen.request, method, params)

    async def resolve(self, action: str, reason: str = "") -> Answer:
        """Has the first action that is pending done or dropped: ``"apply"`` or ``"discard"``."""
        return await self._do(self.seen.resolve, action, reason)

    async def key(self, panel: str, key: str) -> None:
        """Presses a key in a panel: its name, or one character."""
        await self._do(self.seen.key, panel, key)

    async def settle(self) -> None:
        """Waits until the extension has handled every event and every panel's input."""
        await self._do(self.seen.settle)

    async def wait_until(self, what: str, holds: Callable[[Host], Any]) -> None:
        """Waits until something has come."""
        await self._do(self.seen.wait_until, what, holds)

    async def shutdown(self) -> int:
        """Ends the extension as a host does; its exit code."""
        return await self._do(self.seen.shutdown)
