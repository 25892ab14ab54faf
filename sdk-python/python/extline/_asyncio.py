"""The driver under asyncio: the loop owns the session, ``async`` handlers are its tasks, and
others run in threads."""

from __future__ import annotations

import asyncio
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import get_ident

from . import _native
from ._failure import no_answer
from ._serving import Serving, pauses_for_room

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    from ._extension import Extension
    from ._handler import Handler
    from ._native import Context
    from ._serving import Ask, OnPart, Steps


async def serve(extension: Extension) -> int:
    """Serves in the running loop until the host ends it; the exit code."""
    return await AsyncServing(extension).serve()


class AsyncServing(Serving):
    """One extension that runs in an event loop."""

    is_looped = True

    def __init__(self, extension: Extension, over: tuple[int, int] | None = None) -> None:
        self._loop = asyncio.get_running_loop()
        self._thread = get_ident()
        self._ended: asyncio.Future[int] = self._loop.create_future()
        # A task that nobody holds may be collected while it runs.
        self._tasks: set[asyncio.Task[None]] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._is_reading = True
        self._is_writing = False
        self._pool = ThreadPoolExecutor(extension.max_threads, thread_name_prefix="extline")
        super().__init__(extension, over)

    async def serve(self) -> int:
        """Until everything is answered."""
        self._read, bell, self._write = self.session.begin_loop(self._loop.create_task, _tool)
        if sys.platform == "win32":
            from ._rung import Rung

            self._rung = Rung(self._loop, self.session, self._pump)
        else:
            self._watch(bell)
        self._loop.call_soon(self._pump)
        try:
            try:
                return await asyncio.shield(self._ended)
            except asyncio.CancelledError:
                # Ctrl-C, or whoever awaits this gave up: the host gets its answers all the same.
                self.session.end(130)
                self._pump()
                await asyncio.shield(self._ended)
                raise
        finally:
            if sys.platform == "win32":
                self._rung.end()
            else:
                for descriptor in (self._read, bell):
                    self._loop.remove_reader(descriptor)
                if self._is_writing:
                    self._loop.remove_writer(self._write)
            if self._timer is not None:
                self._timer.cancel()
            self._pool.shutdown(wait=False)

    def _watch(self, bell: int) -> None:
        try:
            self._loop.add_reader(self._read, self._pump)
        except PermissionError:
            raise RuntimeError(
                "an event loop cannot wait for a stdin that is a file: pipe it, as in "
                "`cat FILE | python3 PROGRAM`"
            ) from None
        self._loop.add_reader(bell, self._pump, True)

    def _pump(self, is_rung: bool = False) -> None:
        try:
            reads, stalled, due, code, is_turn = self.session.pump(is_rung)
        except Exception as error:
            if not self._ended.done():
                self._ended.set_exception(error)
            return
        if is_turn:
            # Behind the first steps of the tasks that were begun: their answers go out together.
            self._loop.call_soon(self.session.end_turn)
        if code is not None and not self._ended.done():
            self._ended.set_result(code)
        if sys.platform != "win32":
            self._wait_for(reads, stalled)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if due is not None:
            self._timer = self._loop.call_later(due, self._pump)

    def _wait_for(self, reads: bool, stalled: bool) -> None:
        if reads != self._is_reading:
            # What is not read stays readable, and the loop would call for nothing else.
            self._is_reading = reads
            if reads:
                self._loop.add_reader(self._read, self._pump)
            else:
                self._loop.remove_reader(self._read)
        if stalled != self._is_writing:
            self._is_writing = stalled
            if stalled:
                self._loop.add_writer(self._write, self._pump)
            else:
                self._loop.remove_writer(self._write)

    # Tools.

    def start_tool(
        self,
        function: Callable[..., Any],
        keywords: dict[str, Any],
        ctx: Context,
        kind: tuple[bool, bool],
    ) -> None:
        """Begins a call that is no plain coroutine, which the native half begins itself."""
        is_async, is_generator = kind
        if is_async:
            self._start(ctx, _tool(_iterate_async(function, keywords, ctx), ctx))
        else:
            self._pool.submit(_iterate if is_generator else _call, function, keywords, ctx)

    def _start(self, ctx: Context, work: Coroutine[Any, Any, None]) -> None:
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        # After its first step: a task that is cancelled before runs nothing, and answers nothing.
        _native.on_cancel(ctx, lambda: self._loop.call_soon(task.cancel))

    # Everything else: as Serving does it, in tasks.

    def _serve(self, ctx: Context, steps: Steps) -> None:
        self._start(ctx, self._serve_later(ctx, steps))

    async def _serve_later(self, ctx: Context, steps: Steps) -> None:
        try:
            handler, *values = next(steps)
            while True:
                try:
                    returned = await self._await(handler, ctx, *values)
                except BaseException as error:
                    handler, *values = steps.throw(error)
                else:
                    handler, *values = steps.send(returned)
        except StopIteration:
            pass

    def _is_cancel(self, error: BaseException) -> bool:
        return isinstance(error, asyncio.CancelledError)

    async def _await(self, handler: Handler, ctx: Context, *values: Any) -> Any:
        number = _native.begin(ctx)
        try:
            if handler.is_async:
                return await handler.call(ctx, *values)
            return await self._loop.run_in_executor(self._pool, handler.call, ctx, *values)
        finally:
            _native.end(ctx, number)

    def kept(self, _: Any) -> None:
        """A handler has kept the loop for a second."""
        from ._stuck import tell_who_keeps_the_loop

        tell_who_keeps_the_loop(self.session, self._thread)

    # What handlers ask for: to be awaited in the loop, and waited for in a thread.

    def sleep(self, ctx: Context, seconds: float) -> Any:
        """Waits, or until the call is cancelled."""
        if get_ident() == self._thread:
            return asyncio.sleep(seconds)
        return super().sleep(ctx, seconds)

    def call_tool(self, ctx: Context, name: str, args: dict[str, Any]) -> Any:
        """Calls a tool of the host's."""
        if get_ident() != self._thread:
            return super().call_tool(ctx, name, args)
        return self._answer(ctx, lambda woken: _native.call_tool(ctx, name, args, False, woken))

    def ask(
        self, ctx: Context, method: str, params: Any, timeout: float | None, on_part: OnPart | None
    ) -> Any:
        """Asks the host by method."""
        if get_ident() != self._thread:
            return super().ask(ctx, method, params, timeout, on_part)
        parts = on_part is not None
        ask = lambda woken: _native.request(ctx, method, params, timeout, parts, False, woken)  # noqa: E731
        return self._answer(ctx, ask, on_part)

    def at_once(self, answer: Any) -> Any:
        """An answer for which nobody has to be asked, as `ask` gives one."""
        return _ready(answer) if get_ident() == self._thread else answer

    def send_part(self, ctx: Context, part: Any) -> Any:
        """Sends a part of the answer."""
        if get_ident() != self._thread:
            return super().send_part(ctx, part)
        return self._send_part(ctx, part)

    async def _send_part(self, ctx: Context, part: Any) -> None:
        ctx.raise_if_cancelled()
        pauses = pauses_for_room()
        while not _native.send_part(ctx, part):
            await asyncio.sleep(next(pauses))

    async def _answer(self, ctx: Context, ask: Ask, on_part: OnPart | None = None) -> Any:
        # A cancel is asyncio's own.
        ctx.raise_if_cancelled()
        news = asyncio.Event()
        question = ask(news.set)
        try:
            while True:
                while (taken := question.take()) is not None:
                    is_part, value = taken
                    if not is_part:
                        return value
                    shown: Any = on_part(value)  # type: ignore[misc]
                    if hasattr(shown, "__await__"):
                        await shown
                await news.wait()
                news.clear()
        except BaseException:
            question.cancel()
            raise


async def _tool(work: Any, ctx: Context) -> None:
    """One call of an ``async`` tool, from its handler to its answer."""
    try:
        value = await work
    except asyncio.CancelledError:
        # By the host, or by a loop that ends.
        _native.cancel_tool(ctx)
    except BaseException as error:
        _native.fail_tool(ctx, error)
    else:
        _native.answer_tool(ctx, value)


async def _iterate_async(function: Callable[..., Any], keywords: dict[str, Any], ctx: Context) -> Any:
    """An async generator cannot return a value: the last one that it yields is the result."""
    from ._result import Update

    last: Any = None
    async for last in function(**keywords):
        if isinstance(last, (str, Update)):
            _native.show(ctx, last)
    if last is None or isinstance(last, Update):
        raise no_answer(function, is_async=True)
    return last


def _call(function: Callable[..., Any], keywords: dict[str, Any], ctx: Context) -> None:
    """One call of a tool without ``async``, in a thread."""
    _native.enter(ctx)
    try:
        value = function(**keywords)
    except BaseException as error:
        _native.fail_tool(ctx, error)
    else:
        _native.answer_tool(ctx, value)
    finally:
        _native.leave()


def _iterate(function: Callable[..., Any], keywords: dict[str, Any], ctx: Context) -> None:
    """The same for a generator."""
    _native.enter(ctx)
    try:
        steps = function(**keywords)
        while True:
            _native.show(ctx, next(steps))
            if ctx.cancelled:
                steps.close()
                _native.cancel_tool(ctx)
                break
    except StopIteration as end:
        if end.value is None and not ctx.cancelled:
            _native.fail_tool(ctx, no_answer(function))
        else:
            _native.answer_tool(ctx, end.value)
    except BaseException as error:
        _native.fail_tool(ctx, error)
    finally:
        _native.leave()


async def _ready(answer: Any) -> Any:
    return answer
