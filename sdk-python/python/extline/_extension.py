"""An extension: what it offers, written as decorated functions."""

from __future__ import annotations

import sys

from . import _claim, _native
from ._describe import describe
from ._handler import Handler
from ._mistake import DefinitionError, at_the_authors_line
from ._moment import POINTS
from ._register_tool import register_tool
from ._signature import Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from ._describe import Described
    from ._response import Panel

    F = TypeVar("F", bound=Callable[..., Any])


class Extension:
    """An extension of a coding agent, by its name and version.

    ``max_threads`` is how many handlers without ``async`` may run at a time.
    """

    def __init__(self, name: str, version: str = "0.0.0", *, max_threads: int = 32) -> None:
        for what, value in (("name", name), ("version", version)):
            if not isinstance(value, str) or not value:
                raise TypeError(f"the {what} of an extension is a str, and this is {value!r}")
        _claim.used()
        self.name = name
        self.version = version
        self.max_threads = max_threads
        self._registrations = _native.Registrations()
        self._serving: Any = None
        self._where: dict[tuple[str, str], str] = {}
        self._commands: dict[str, Handler] = {}
        self._events: dict[str, list[Handler]] = {}
        self._interceptors: dict[str, list[Handler]] = {}
        self._guards: list[Handler] = []
        self._panels: dict[str, Handler] = {}
        self._methods: dict[str, Handler] = {}
        self._setups: list[Handler] = []
        self._teardowns: list[Handler] = []
        self._required: list[tuple[str, str]] = []
        self._has_async = False

    # What it offers.

    @at_the_authors_line
    def tool(
        self,
        function: Callable[..., Any] | None = None,
        /,
        *,
        name: str | None = None,
        description: str | None = None,
        schema: dict[str, Any] | None = None,
        output_schema: dict[str, Any] | None = None,
        label: str | None = None,
        timeout: float | None = None,
        interactive: bool = False,
        sequential: bool = False,
        pure: bool = False,
        strict: bool = False,
        read_only: bool | None = None,
        destructive: bool | None = None,
        idempotent: bool | None = None,
        open_world: bool | None = None,
        approval: dict[str, Any] | None = None,
        exposure: str | None = None,
        namespace: str | None = None,
        required: bool = False,
    ) -> Any:
        """Offers a function to the model: ``@ext.tool``, or ``@ext.tool(name=...)``.

        Name, description and schema come from the function, its docstring and annotations.
        ``timeout`` is in seconds. ``sequential`` has the host hold its calls in order.
        ``read_only``, ``destructive``, ``idempotent`` and ``open_world`` are hints about what it
        does to the world. With ``required`` the extension ends where a host does not take it.
        """
        options = {k: v for k, v in locals().items() if k not in ("self", "function")}
        if function is None:
            return lambda function: self.tool(function, **options)
        if isinstance(function, str):
            raise DefinitionError(f"the name of a tool is given by name: @ext.tool(name={function!r})")
        described = describe(function, name=name, description=description, schema=schema)
        self._note(function, described.is_async)
        self._add("tool", described.name, function, lambda: self._add_tool(described, options))
        self._require("tool", described.name, required)
        return function

    def _add_tool(self, described: Described, options: dict[str, Any]) -> None:
        frame = register_tool(described, options)
        if self._serving is not None:
            self._serving.session.register(frame)
        unchecked = self._registrations.tool(
            frame,
            described.function,
            bind=described.bind,
            plain=described.plain,
            context=described.context,
            is_async=described.is_async,
            is_generator=described.is_generator,
        )
        for problem in unchecked:
            _native.report(f"the schema of the tool {described.name}: {problem}")

    def remove_tool(self, name: str) -> None:
        """Takes a tool away while the extension runs, where the host re-reads its list."""
        self._running("remove_tool").session.unregister_tool(name)
        self._where.pop(("tool", name), None)

    def command(
        self,
        name: str | Callable[..., Any] | None = None,
        description: str | None = None,
        *,
        usage: str | None = None,
        required: bool = False,
    ) -> Any:
        """Offers a slash command: ``@ext.command("deploy", "deploys the branch")``.

        The function is called with what the user typed behind the command; it returns a
        ``Response``, a str to show, or None. Without a name the function's is taken, without a
        description its docstring's first line.
        """
        if callable(name):
            return self.command()(name)
        if name is not None and not isinstance(name, str):
            raise TypeError('say which command: @ext.command("deploy", "deploys the branch")')

        @at_the_authors_line
        def decorate(function: F) -> F:
            own = name if name is not None else function.__name__
            handler = Handler(function, f"the command {own}", ("args",))
            text = description
            if text is None:
                text = (function.__doc__ or "").strip().partition("\n")[0]
            frame = {"type": "register_command", "name": own, "description": text}
            if usage is not None:
                frame["usage"] = usage
            self._add("command", own, function, lambda: self._add_command(frame))
            self._commands[own] = self._keep(handler)
            self._require("command", own, required)
            return function

        return decorate

    def _add_command(self, frame: dict[str, Any]) -> None:
        if self._serving is not None:
            self._serving.session.register(frame)
        else:
            self._registrations.command(frame)

    # What it is told and asked.

    def on(self, event: str, *, required: bool = False) -> Callable[[F], F]:
        """Is told of an event: ``@ext.on("turn_end")``. One runs at a time, in their order."""
        if not isinstance(event, str):
            raise TypeError('say which event: @ext.on("turn_end")')

        @at_the_authors_line
        def decorate(function: F) -> F:
            handler = Handler(function, f"the event {event}", ("event",))
            self._events.setdefault(event, []).append(self._keep(handler))
            self._subscribe("event", event)
            self._require("event", event, required)
            return function

        return decorate

    def intercept(
        self, point: str, *, on_failure: str | None = None, required: bool = False
    ) -> Callable[[F], F]:
        """Is asked before something happens: ``@ext.intercept("tool_call")``.

        The points are ``tool_call``, ``turn_start``, ``assistant_message`` and
        ``before_agent_start``. The function returns None, or what ``block``, ``rewrite``,
        ``replace`` or ``system_prompt`` of its argument make. ``on_failure`` is what a failure
        means: ``block`` (unless said, where it can be blocked) or ``allow``.
        """
        if not isinstance(point, str):
            raise TypeError('say at which point: @ext.intercept("tool_call")')
        if point not in POINTS:
            raise ValueError(f"there is no point {point!r}; there are {', '.join(POINTS)}")
        if on_failure not in (None, "allow", "block"):
            raise ValueError(f"on_failure is 'allow' or 'block', and not {on_failure!r}")

        @at_the_authors_line
        def decorate(function: F) -> F:
            handler = Handler(function, f"the point {point}", ("moment",))
            self._interceptors.setdefault(point, []).append(self._keep(handler))
            self._subscribe("interceptor", point)
            if on_failure is not None:
                running = self._serving
                to = self._registrations if running is None else running.session
                to.on_failure(point, on_failure)
            self._require("intercept", point, required)
            return function

        return decorate

    @at_the_authors_line
    def guard(
        self,
        function: Callable[..., Any] | None = None,
        /,
        *,
        name: str | None = None,
        required: bool = False,
    ) -> Any:
        """Sees every tool call with its final arguments, and may block it: ``@ext.guard``.

        The function returns None, or ``call.block(reason)``. One that fails blocks.
        """
        if function is None:
            return lambda function: self.guard(function, name=name, required=required)
        if isinstance(function, str):
            raise DefinitionError(f"the name of a guard is given by name: @ext.guard(name={function!r})")
        handler = Handler(function, "a guard", ("call",))
        handler.name = name or handler.name
        self._add("guard", handler.name, function, lambda: None)
        self._guards.append(self._keep(handler))
        self._subscribe("guard", "tool_call")
        self._require("guard", "tool_call", required)
        return function

    def panel(self, id: str) -> Callable[[F], F]:
        """Is told what happens in a panel: ``@ext.panel("notes")``.

        The function gets a ``PanelInput``; ``ctx.panel(id)`` draws the panel anew.
        """
        if not isinstance(id, str):
            raise TypeError('say which panel: @ext.panel("notes")')

        @at_the_authors_line
        def decorate(function: F) -> F:
            handler = Handler(function, f"the panel {id}", ("input",))
            self._add("panel", id, function, lambda: None)
            self._panels[id] = self._keep(handler)
            return function

        return decorate

    def method(self, name: str) -> Callable[[F], F]:
        """Serves a method that the host may ask for: ``@ext.method("health.check")``.

        The function gets the params, and returns a JSON value.
        """

        if not isinstance(name, str):
            raise TypeError('say which method: @ext.method("health.check")')

        @at_the_authors_line
        def decorate(function: F) -> F:
            handler = Handler(function, f"the method {name}", ("params",))
            self._add("method", name, function, lambda: None)
            self._methods[name] = self._keep(handler)
            return function

        return decorate

    @at_the_authors_line
    def setup(self, function: F | None = None, /) -> Any:
        """Runs once the host has answered, and may register: ``@ext.setup``.

        What it registers may depend on ``ctx.host``. A host waits about three seconds for it.
        """
        if function is None:
            return self.setup
        self._setups.append(self._keep(Handler(function, "setup", ())))
        return function

    @at_the_authors_line
    def teardown(self, function: F | None = None, /) -> Any:
        """Runs at the end, once every call is answered: ``@ext.teardown``. It has a second."""
        if function is None:
            return self.teardown
        self._teardowns.append(self._keep(Handler(function, "teardown", ())))
        return function

    def require(self, capability: str) -> None:
        """The extension ends where the host does not offer that capability."""
        self._required.append(("capability", capability))

    # What it says unasked.

    def notify(self, message: str, *, level: str = "info") -> None:
        """Shows the user a note: ``info``, ``success``, ``warn`` or ``error``."""
        self._running("notify").session.notify(message, level)

    def log(self, message: str, *, level: str = "info", **fields: Any) -> None:
        """Writes a line to the host's log, or to stderr where it keeps none."""
        self._running("log").session.log(message, level, fields or None)

    def logging_handler(self) -> Any:
        """A handler for Python's ``logging``, which writes to the host's log."""
        from ._logging import LoggingHandler

        return LoggingHandler(self)

    def submit(self, text: str) -> None:
        """Queues a prompt for the model, or with a slash in front runs a command."""
        self._running("submit").session.submit(text)

    def clear_notes(self) -> None:
        """Takes the extension's notes back."""
        self._running("clear_notes").session.clear_notes()

    def open_panel(self, panel: Panel) -> None:
        """Opens a panel outside a command."""
        self._running("open_panel").open_panel(panel)

    @property
    def host(self) -> Any:
        """The host, once it has answered."""
        return self._running("host").host

    # How it runs.

    def run(self) -> None:
        """Serves until the host ends it. Started by hand in a terminal, says what it is."""
        from ._run import run

        run(self)

    async def serve(self) -> int:
        """Serves in the running event loop until the host ends it; the exit code."""
        if self._serving is not None:
            raise RuntimeError("this extension runs already; one process is one extension")
        from ._asyncio import serve

        return await serve(self)

    def _running(self, what: str) -> Any:
        if self._serving is None:
            raise RuntimeError(f"{what} needs a host, so the extension must run: call it in a handler")
        return self._serving

    def _keep(self, handler: Handler) -> Handler:
        self._note(handler.function, handler.is_async)
        return handler

    def _note(self, function: Any, is_async: bool) -> None:
        """An event loop drives an extension from its start, or never."""
        if is_async and self._serving is not None and not self._has_async:
            if not self._serving.is_looped:
                raise Place(function).mistake(
                    "an async handler that comes while the extension runs needs the event loop "
                    "from the start: write another one outside setup, or use `await ext.serve()`"
                )
        self._has_async = self._has_async or is_async

    def _subscribe(self, kind: str, name: str) -> None:
        if self._serving is not None:
            self._serving.session.subscribe(kind, name)
        else:
            self._registrations.subscribe(kind, name)

    def _require(self, kind: str, name: str, required: bool) -> None:
        if required:
            self._required.append((kind, name))

    def _add(self, kind: str, name: str, function: Any, add: Callable[[], Any]) -> None:
        """Registers, or says where the mistake is."""
        place = Place(function)
        key = (kind, name.lower() if kind == "command" else name)
        if key in self._where:
            raise place.mistake(
                f"there is a {kind} named {name!r} already, at {self._where[key]}; rename one"
            )
        try:
            add()
        except ValueError as error:
            # Of a frame that no author has seen, only the member.
            text, of_frame = str(error), f"register_{kind}: /"
            if text.startswith(of_frame):
                text = f"the {kind} {name}: {text.removeprefix(of_frame)}"
            raise place.mistake(text) from None
        self._where[key] = place.where.rstrip(": ")


__all__ = ["DefinitionError", "Extension"]
