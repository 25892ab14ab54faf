"""The Python half of the driver: what is not a tool call, handler by handler.

The native half reads, writes, calls tools, and calls the methods here in whichever thread owns
the session. Which handlers are called with what, and what comes of it, is written once as
``Steps``: they are run here, and awaited under an event loop.
"""

from __future__ import annotations

import os
import sys
from _thread import allocate_lock, get_ident

from . import _claim, _native
from ._failure import explain_all, with_causes
from ._host import Host

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from typing import Any, TypeAlias

    from ._extension import Extension
    from ._handler import Handler
    from ._native import Context, InterceptChain, Question

    # Yields a handler with what it is given, and is sent what it returned or thrown what it raised.
    Steps: TypeAlias = "Generator[tuple[Any, ...], Any, None]"
    Ask: TypeAlias = "Callable[[Callable[[], None]], Question]"
    OnPart: TypeAlias = "Callable[[Any], object]"

class Serving:
    """One extension that runs. Handlers run in the thread that calls."""

    host: Host
    # Whether an event loop runs the handlers.
    is_looped = False
    # Told of failures that no answer tells of: what failed, how, and what was raised.
    on_failure: Callable[[str, str, BaseException | None], object] | None = None

    def __init__(self, extension: Extension, over: tuple[int, int] | None = None) -> None:
        _claim.served()
        self.extension = extension
        # The descriptors of a host in the same process, in place of stdin and stdout.
        self._over = over
        self._threads = 0
        self._proposed: Any = None
        # The one that serves.
        self._thread = get_ident()
        self.is_set_up = False
        self.is_tearing_down = False
        self.session = _native.Session(
            extension._registrations,
            self,
            name=extension.name,
            version=extension.version,
            methods=list(extension._methods),
            state_version=extension._state_version,
            setup=bool(extension._setups),
            teardown=bool(extension._teardowns),
            max_threads=extension.max_threads,
            over=over,
            mcp=over is None and _native.asks_for_mcp(*sys.argv[1:2]),
        )
        extension._serving = self
        # The child of a fork is no extension: the threads and locks of the session stay behind.
        if sys.platform != "win32":
            os.register_at_fork(after_in_child=_native.forked)

    def start_thread(self) -> None:
        """Starts one more thread to work for the session."""
        if sys.version_info < (3, 13) and "threading" not in sys.modules:
            from ._main_thread import set_main_thread

            set_main_thread(self._thread)
        from threading import Thread

        self._threads += 1
        # Python joins it at the end, which the session has ended by then; in a test nothing has.
        is_daemon = self._over is not None
        name = f"extline-{self._threads}"
        Thread(target=self.session.go_on, name=name, daemon=is_daemon).start()

    # The beginning and the end.

    def accepted(self, ack: dict[str, Any]) -> None:
        """The host has answered."""
        self.host = self._host(ack)
        if not self._has_config():
            return
        if self.extension._setups:
            self._serve(_native.context(self.session), self._setting_up())
        else:
            self._set_up()

    def _setting_up(self) -> Steps:
        try:
            for handler in self.extension._setups:
                yield (handler,)
        except BaseException as error:
            if not self.is_looped and not isinstance(error, Exception):
                raise
            from ._errors import Cancelled

            code = self.session.setup_exit_code(self._is_cancel(error) or isinstance(error, Cancelled))
            if code != 0:
                self._failed(error, "setup")
            self.session.end(code)
        else:
            self._set_up()

    @property
    def config(self) -> Any:
        """The configuration as it is now."""
        return self.extension._config.value()

    def _has_config(self) -> bool:
        """Whether the author's model could be made of the configuration; else it ends."""
        try:
            self.extension._config.begin(self.session)
        except Exception as error:
            self._failed(error, "the configuration")
            # EX_CONFIG, as where something required is missing.
            self.session.end(78)
            return False
        return True

    def _host(self, ack: dict[str, Any]) -> Host:
        return Host(ack, self.session)

    def _set_up(self) -> None:
        self.is_set_up = True
        self.session.ready()

    def teardown(self, ctx: Context) -> None:
        """Everything is answered."""
        self._serve(ctx, self._tearing_down())

    def _tearing_down(self) -> Steps:
        """Only after a whole setup is there something to take down."""
        self.is_tearing_down = True
        try:
            for handler in self.extension._teardowns if self.is_set_up else ():
                try:
                    yield (handler,)
                except Exception as error:
                    self._failed(error, "teardown")
        except BaseException as error:
            if self._is_cancel(error) and self.on_failure is not None:
                self.on_failure("teardown", _native.LATE_TEARDOWN, None)
            raise
        finally:
            self.is_tearing_down = False
            self.session.teardown_done()

    # What is not answered.

    def event(self, ctx: Context, frame: dict[str, Any]) -> None:
        """Something happened."""
        self._serve(ctx, self._telling(frame))

    def _telling(self, frame: dict[str, Any]) -> Steps:
        from ._event import Event
        from .events import EVENTS

        try:
            event = EVENTS.get(frame["event"], Event)(frame)
            for handler in self.extension._events.get(event.event, ()):
                if not handler.wants(event):
                    continue
                try:
                    used_by_nobody(handler, (yield handler, event), event)
                except Exception as error:
                    self._failed(error, f"the handler of the event {event.event}")
        finally:
            self.session.event_done()

    def panel(self, ctx: Context, id: str, frame: dict[str, Any]) -> None:
        """Something happened in a panel."""
        self._serve(ctx, self._showing(id, frame))

    def _showing(self, id: str, frame: dict[str, Any]) -> Steps:
        """A panel without a handler only shows something."""
        from ._panel import PanelInput

        try:
            handler = self.extension._panels.get(id)
            if handler is not None:
                told = PanelInput(frame)
                used_by_nobody(handler, (yield handler, told), told)
        except Exception as error:
            self._failed(error, f"the handler of the panel {id}")
        finally:
            self.session.panel_done(id)

    def _failed(self, error: BaseException, what: str) -> None:
        """A handler failed for whom nobody waits: the log has it, and a test's host."""
        text = explain_all(error, what)
        if self.on_failure is not None:
            self.on_failure(what, text, error)

    # What is answered.

    def command(self, ctx: Context, name: str, args: str) -> None:
        """A user ran a command."""
        self._serve(ctx, self._commanded(ctx, name, args))

    def _commanded(self, ctx: Context, name: str, args: str) -> Steps:
        try:
            handler = self.extension._commands[name]
            frame = response_of((yield (handler, *handler.given(args))))
        except BaseException as error:
            _native.fail_command(ctx, command_failure_of(error, name))
            self._let_through(error)
        else:
            _native.answer_command(ctx, frame)

    def deciding(self, point: str) -> tuple[list[Handler], list[Handler]]:
        """Whom an intercept may be asked of: interceptors and guards."""
        return self.extension._interceptors.get(point, []), self.extension._guards

    def intercept(self, ctx: Context, frame: dict[str, Any], chain: InterceptChain) -> None:
        """Something is about to happen."""
        self._serve(ctx, self._deciding(ctx, frame, chain))

    def _deciding(self, ctx: Context, frame: dict[str, Any], chain: InterceptChain) -> Steps:
        from ._decide import ask

        try:
            yield from ask(frame["event"], frame, chain)
        except BaseException as error:
            _native.fail_intercept(ctx, failure_of(error, f"intercept {frame['event']}"))
            self._let_through(error)

    def request(self, ctx: Context, method: str, params: Any) -> None:
        """The host asks for something by method."""
        self._reply(ctx, f"method {method}", self._method(method, params), params)

    def _method(self, method: str, params: Any) -> Handler:
        handler = self.extension._methods.get(method)
        # What was proposed is served without being named.
        return self._actions.handler(method, params) if handler is None else handler

    def pending(self, ctx: Context) -> Any:
        """What ``ctx`` may propose."""
        from ._pending import Pending

        return Pending(ctx, self._actions)

    @property
    def _actions(self) -> Any:
        if self._proposed is None:
            from ._pending import Actions

            self._proposed = Actions(self.extension)
        return self._proposed

    def approval(self, ctx: Context, tool: str, args: Any) -> None:
        """The host asks whether a call is to be approved."""
        self._reply(ctx, f"gated of the tool {tool}", self.extension._advisers[tool], args)

    def _reply(self, ctx: Context, what: str, handler: Handler, given: Any) -> None:
        self._serve(ctx, self._replying(ctx, what, handler, given))

    def _replying(self, ctx: Context, what: str, handler: Handler, given: Any) -> Steps:
        from ._errors import ToolError

        try:
            handler.answer(ctx, (yield handler, given))
        except ToolError as error:
            _native.fail_request(ctx, error.kind, error.message)
        except BaseException as error:
            if self._is_cancel(error):
                _native.fail_request(ctx, "cancelled", "cancelled")
                return
            _native.fail_request(ctx, "internal", failure_of(error, what))
            self._let_through(error)

    def stuck(self, threads: list[tuple[int, str]]) -> None:
        """Handlers go on, in these threads, though their calls were cancelled a while ago."""
        from ._stuck import tell_who_goes_on

        tell_who_goes_on(threads)

    # What handlers ask for.

    def sleep(self, ctx: Context, seconds: float) -> None:
        """Waits, or until the call is cancelled."""
        until = allocate_lock()
        until.acquire()
        _native.on_cancel(ctx, until.release)
        try:
            until.acquire(timeout=max(0.0, seconds))
        finally:
            _native.forget(ctx, until.release)
        ctx.raise_if_cancelled()

    def call_tool(self, ctx: Context, name: str, args: dict[str, Any]) -> Any:
        """Calls a tool of the host's and waits for the answer."""
        return self._wait(ctx, lambda woken: _native.call_tool(ctx, name, args, True, woken))

    def ask(
        self, ctx: Context, method: str, params: Any, timeout: float | None, on_part: OnPart | None
    ) -> Any:
        """Asks the host by method and waits for the answer."""
        parts = on_part is not None
        ask = lambda woken: _native.request(ctx, method, params, timeout, parts, True, woken)  # noqa: E731
        return self._wait(ctx, ask, on_part)

    def at_once(self, answer: Any) -> Any:
        """An answer for which nobody has to be asked, as `ask` gives one."""
        return answer

    def _wait(self, ctx: Context, ask: Ask, on_part: OnPart | None = None) -> Any:
        ctx.raise_if_cancelled()
        answered = allocate_lock()
        answered.acquire()

        def woken() -> None:
            # By a part, the answer, a cancel of the call, or by several of them at once.
            try:
                answered.release()
            except RuntimeError:
                pass

        # Another thread reads the answer.
        _native.step_aside(ctx)
        question = ask(woken)
        try:
            while True:
                while (news := question.take()) is not None:
                    is_part, value = news
                    if not is_part:
                        return value
                    on_part(value)  # type: ignore[misc]
                # Python's own lock, so that Ctrl-C ends the wait.
                answered.acquire()
        except BaseException:
            question.cancel()
            raise

    def send_part(self, ctx: Context, part: Any) -> Any:
        """Sends a part of the answer, and waits while the host does not read."""
        ctx.raise_if_cancelled()
        pauses = pauses_for_room()
        while not _native.send_part(ctx, part):
            # Another thread writes.
            _native.step_aside(ctx)
            self.sleep(ctx, next(pauses))

    def panel_of(self, id: str) -> Any:
        """A panel by its id."""
        from ._panel import OpenPanel

        return OpenPanel(self.session, id)

    def open_panel(self, panel: Any) -> None:
        """Opens a panel outside a command."""
        self.session.panel({"type": "open_panel", "panel": panel._fields()})

    def _serve(self, ctx: Context, steps: Steps) -> None:
        """Runs the handlers."""
        try:
            handler, *values = next(steps)
            while True:
                try:
                    returned = self._run(handler, ctx, *values)
                except BaseException as error:
                    handler, *values = steps.throw(error)
                else:
                    handler, *values = steps.send(returned)
        except StopIteration:
            pass

    def _let_through(self, error: BaseException) -> None:
        """Ctrl-C ends the extension; where an event loop runs, by that."""
        if isinstance(error, KeyboardInterrupt) and not self.is_looped:
            raise error

    def _is_cancel(self, error: BaseException) -> bool:
        """Whether the event loop gave the handler up."""
        return False

    def _run(self, handler: Handler, ctx: Context, *values: Any) -> Any:
        if not handler.has_context:
            return handler.call(ctx, *values)
        number = _native.begin(ctx)
        try:
            return handler.call(ctx, *values)
        finally:
            _native.end(ctx, number)


def pauses_for_room() -> Iterator[float]:
    """How long to wait each time before it is looked again whether the host has read, in seconds."""
    pause = 0.001
    while True:
        yield pause
        pause = min(2 * pause, 0.05)


def used_by_nobody(handler: Handler, returned: Any, told: Any) -> None:
    """Refuses what is likely to be meant as something. Most handlers return None."""
    if returned is not None:
        from ._unused import refuse

        refuse(handler, returned, told)


def response_of(answer: Any) -> dict[str, Any]:
    """The frame of what a command returned."""
    from ._response import Response

    if isinstance(answer, Response):
        return dict(answer._fields)
    if answer is None:
        return {"action": "noop"}
    if isinstance(answer, str):
        return {"action": "display", "display": answer}
    raise TypeError(
        f"a command returns a Response, a str or None, and this is {type(answer).__name__}"
    )


def command_failure_of(error: BaseException, name: str) -> str:
    """The text for the user, to whom the host says which command it was."""
    from ._errors import ToolError

    text = failure_of(error, f"command {name}")
    if isinstance(error, ToolError) or not isinstance(error, Exception):
        return text
    try:
        return with_causes(str(error), error) if str(error) else text
    except Exception:
        return text


def failure_of(error: BaseException, what: str) -> str:
    """The text for whoever waits for an answer."""
    from ._errors import ToolError

    if isinstance(error, ToolError):
        return f"{error.message}\nhint: {error.hint}" if error.hint else error.message
    if isinstance(error, KeyboardInterrupt):
        return "interrupted"
    return explain_all(error, what)
