"""An extension: what it offers, written as decorated functions."""

from __future__ import annotations

import sys

from . import _claim, _native
from ._config import Config, Source
from ._describe import describe
from ._handler import Handler
from ._mistake import DefinitionError, at_the_authors_line
from ._registering import Registering, check_mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any, Literal, overload

    from typing_extensions import Unpack

    from . import _typed
    from ._services import View
    from ._typed import C, F, G, M, N
else:

    def overload(function: Any) -> Any:
        return function


class Extension(Registering):
    """An extension of a coding agent, by its name and version.

    A program has one. What it offers is registered by decorators while the file is loaded, or in
    ``setup``; a mistake raises ``DefinitionError`` at that line. ``run`` then serves it.

    Handlers without ``async`` run in threads, up to ``max_threads`` at a time, so what they share
    needs a lock; what is ``async`` runs in one event loop. Every handler may take ``ctx``, a
    ``Context``, by that name or annotation.
    """

    def __init__(self, name: str, version: str = "0.0.0", *, max_threads: int = 32) -> None:
        for what, value in (("name", name), ("version", version)):
            if not isinstance(value, str) or not value:
                raise TypeError(f"the {what} of an extension is a str, and this is {value!r}")
        _claim.used(self, name)
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
        # The version of what it keeps with its host.
        self._state_version: int | None = None
        # By the tool, what says whether one of its calls is to be approved.
        self._advisers: dict[str, Handler] = {}
        self._setups: list[Handler] = []
        self._teardowns: list[Handler] = []
        self._config = Source()

    # What it offers.

    @overload
    def tool(self, function: F, /, **options: Unpack[_typed.ToolOptions]) -> F: ...
    @overload
    def tool(self, /, **options: Unpack[_typed.ToolOptions]) -> Callable[[F], F]: ...
    @at_the_authors_line
    def tool(
        self,
        function: Callable[..., Any] | None = None,
        /,
        *,
        name: str | None = None,
        description: str | None = None,
        schema: dict[str, Any] | None = None,
        output_schema: dict[str, Any] | Literal[False] | None = None,
        label: str | None = None,
        timeout: float | None = None,
        interactive: bool = False,
        sequential: bool = False,
        pure: bool = False,
        replay: _typed.Replay | None = None,
        strict: bool = False,
        read_only: bool | None = None,
        destructive: bool | None = None,
        idempotent: bool | None = None,
        open_world: bool | None = None,
        gated: _typed.Gated = False,
        approval: _typed.Approval | None = None,
        exposure: _typed.Exposure | None = None,
        namespace: str | None = None,
        call_view: View | None = None,
        outputs: Sequence[_typed.OutputFormat] | None = None,
        preference: _typed.Preference | None = None,
        required: bool = False,
    ) -> Any:
        """Offers a function to the model: ``@ext.tool``, or ``@ext.tool(name=...)``.

        Name, description and schema come from the function, its docstring and annotations; what is
        given here is taken instead. ``schema`` and ``output_schema`` are JSON Schemas of objects,
        as dicts.

        ``timeout`` is how many seconds a host waits for the answer; unsaid, the host decides.
        ``sequential`` has the host hold the tool's calls in order, one at a time. ``interactive``
        says that it waits for a person, and so has no deadline; ``pure`` that the same arguments
        give the same answer until something changes; ``strict`` that the provider is to keep the
        model to the schema. ``read_only``, ``destructive``, ``idempotent`` and ``open_world`` are
        hints about what it does to the world; None says nothing.

        ``replay`` says what an agent may do that ended after a call had begun and before it had the
        result: call again (``safe``), call again with the same ``ctx.operation_key`` (``idempotent``), ask
        first what became of it, by ``ctx.reconcile`` (``reconcile``), or give the call up (``never``).
        Unsaid it is ``safe`` with ``pure`` or ``read_only``, ``idempotent`` with that, else ``never``.

        Where the function says that it returns a dataclass, a TypedDict, or a model of pydantic's or
        msgspec's, the tool's output schema is that of the class. ``output_schema=False`` says none.

        ``label`` is its name for people, ``namespace`` the group it is listed in (else the
        extension's name). ``exposure`` is ``direct`` (unless said), ``codemode``, ``deferred`` (not
        listed until it is activated) or ``model-only``. With ``gated`` a user is asked before each
        call; ``approval`` says more: ``{"tier": "write", "key": "{path}", "reason": "it deploys"}``,
        where ``key`` says which calls one approval covers. ``gated`` may be a function, which the host
        asks before each call: ``gated=lambda args: args["place"] == "prod"``. It gets the arguments as a
        dict, and the context where it asks for ``ctx``, and returns whether a user is to be asked, or a
        dict with ``policy`` (``"prompt"``, ``"allow"`` or ``"deny"``), ``reason``, ``tier``, ``key`` and
        ``details``, a list of lines for the user. What it raises has the user asked about exactly this
        call.

        ``call_view`` says how a person is shown a call, where the host shows views: a view whose texts have
        ``{name}`` for the argument of that name.

        ``outputs=("labeled", "json")`` lets the model choose by an argument ``output`` how the value is
        written; the first form holds where it does not. The function does not get the argument. One form
        alone adds none.

        ``preference`` is what the tool proposes to whoever chooses the tools of a turn:
        ``{"enabled": False, "reason": "few ask for it"}`` that it is not offered unless the agent or its
        user names it, ``{"weight": 0.8}`` how much it wants to be offered where there is no room for all
        (from 0 to 1, 0.5 unless said), ``{"parameters": {"limit": 10}}`` what a model is shown as defaults
        of arguments. An agent or its user may know better.

        With ``required`` the extension ends where a host does not take the tool.

        What the function returns is the answer, and its type says how. A str is a text, an
        ``image`` an image, None nothing. A ``ToolResult`` says itself what it is. Anything else is a
        JSON value: a number, a list, a dict, a dataclass, a model. A generator yields updates, a str
        or ``Update`` each, and returns the answer; an async generator yields the answer last. What
        it raises is an error for the model: see ``ToolError``.

        Raises DefinitionError.
        """
        options = {k: v for k, v in locals().items() if k not in ("self", "function")}
        if function is None:
            return at_the_authors_line(lambda function: self.tool(function, **options))
        if isinstance(function, str):
            raise DefinitionError(f"the name of a tool is given by name: @ext.tool(name={function!r})")
        described = describe(
            function, name=name, description=description, schema=schema, output=output_schema
        )
        self._note(function, described.is_async)
        self._add("tool", described.name, function, lambda: self._add_tool(described, options))
        self._require("tool", described.name, required)
        return function

    def remove_tool(self, name: str) -> None:
        """Takes a tool away while the extension runs, where the host re-reads its list.

        It may be called from any thread. Calls of the tool that run go on. An unknown name changes
        nothing. Raises ValueError where the host never re-reads its list, and RuntimeError
        while there is no host.
        """
        self._running("remove_tool").session.registrations.remove_tool(name)
        self._where.pop(("tool", name), None)

    @overload
    def command(self, name: C, /) -> C: ...
    @overload
    def command(
        self,
        name: str | None = None,
        description: str | None = None,
        *,
        usage: str | None = None,
        required: bool = False,
    ) -> Callable[[C], C]: ...
    @at_the_authors_line
    def command(
        self,
        name: str | Callable[..., Any] | None = None,
        description: str | None = None,
        *,
        usage: str | None = None,
        required: bool = False,
    ) -> Any:
        """Offers a slash command: ``@ext.command("deploy", "deploys the branch")``.

        The function is called with what the user typed behind the command, as one str. Where the
        user typed nothing and the parameter has a default, that is taken. The function returns a
        ``Response``, a str to show, or None. What it raises is shown to the user. The name is the
        function's unless it is given, and the description the first line of its docstring.
        ``usage`` shows what may follow the name: ``<branch> [--dry]``.

        Raises DefinitionError.
        """
        if callable(name):
            return self.command()(name)
        if name is not None and not isinstance(name, str):
            raise TypeError('say which command: @ext.command("deploy", "deploys the branch")')

        @at_the_authors_line
        def decorate(function: C) -> C:
            own = name if name is not None else function.__name__
            handler = Handler(function, f"the command {own}", ("args",))
            handler.takes_text()
            text = description
            if text is None:
                text = (function.__doc__ or "").strip().partition("\n")[0]
            frame = {"type": "register_command", "name": own, "description": text}
            if usage is not None:
                frame["usage"] = usage
            self._add("command", own, function, lambda: self._registry.command(frame))
            self._commands[own] = self._keep(handler)
            self._require("command", own, required)
            return function

        return decorate

    # What it is told and asked.

    @overload
    def on(
        self,
        event: _typed.ToolEventName,
        *,
        tools: Iterable[str] | None = None,
        required: bool = False,
    ) -> Callable[[N], N]: ...
    @overload
    def on(self, event: _typed.EventName, *, required: bool = False) -> Callable[[N], N]: ...
    @at_the_authors_line
    def on(
        self,
        event: _typed.EventName,
        *,
        tools: Iterable[str] | None = None,
        required: bool = False,
    ) -> Callable[[N], N]:
        """Is told of an event: ``@ext.on("turn_end")``.

        The function gets the ``Event``, of the class that ``extline.events`` has for it. Events are
        handled one at a time, in the order in which they happen. A handler returns nothing: what
        looks like a decision is an error. What it raises goes to the log. A host passes over names
        that it does not know. A name that looks like a known one is named on stderr.

        An event about a tool, as ``tool_call`` or ``tool_result``, can be narrowed:
        ``@ext.on("tool_result", tools=["bash", "mcp_*"])``. ``*`` stands for any text. The host sends no others
        where it can.
        """
        if not isinstance(event, str):
            raise TypeError('say which event: @ext.on("turn_end")')
        names = None if tools is None else [tools] if isinstance(tools, str) else list(tools)
        if not all(isinstance(name, str) for name in names or ()):
            raise TypeError('say which tools: @ext.on("tool_result", tools=["bash"])')

        @at_the_authors_line
        def decorate(function: N) -> N:
            handler = Handler(function, f"the event {event}", ("event",))
            handler.is_told_of(event)
            self._in_time(handler, f"the event {event}")
            self._registry.listen(event, names)
            handler.tools = names
            self._events.setdefault(event, []).append(self._keep(handler))
            self._require("event", event, required)
            return function

        return decorate

    @overload
    def intercept(
        self,
        point: Literal["tool_call"],
        *,
        on_failure: _typed.OnFailure | None = None,
        required: bool = False,
    ) -> Callable[[_typed.OfToolCall], _typed.OfToolCall]: ...
    @overload
    def intercept(
        self,
        point: Literal["turn_start"],
        *,
        on_failure: _typed.OnFailure | None = None,
        required: bool = False,
    ) -> Callable[[_typed.OfTurnStart], _typed.OfTurnStart]: ...
    @overload
    def intercept(
        self,
        point: Literal["assistant_message"],
        *,
        on_failure: _typed.OnFailure | None = None,
        required: bool = False,
    ) -> Callable[[_typed.OfMessage], _typed.OfMessage]: ...
    @overload
    def intercept(
        self,
        point: Literal["before_agent_start"],
        *,
        on_failure: _typed.OnFailure | None = None,
        required: bool = False,
    ) -> Callable[[_typed.OfAgentStart], _typed.OfAgentStart]: ...
    @overload
    def intercept(
        self,
        point: Literal["tool_result"],
        *,
        on_failure: _typed.OnFailure | None = None,
        required: bool = False,
    ) -> Callable[[_typed.OfToolResult], _typed.OfToolResult]: ...
    @overload
    def intercept(
        self,
        point: Literal["user_prompt_submit"],
        *,
        on_failure: _typed.OnFailure | None = None,
        required: bool = False,
    ) -> Callable[[_typed.OfUserPrompt], _typed.OfUserPrompt]: ...
    @at_the_authors_line
    def intercept(
        self, point: str, *, on_failure: _typed.OnFailure | None = None, required: bool = False
    ) -> Any:
        """Is asked before something happens: ``@ext.intercept("tool_call")``.

        The points, and what the function gets: ``tool_call``, a ``RewritableToolUse``;
        ``turn_start``, a ``ModelCall``; ``assistant_message``, a ``Message``;
        ``before_agent_start``, an ``AgentStart``; ``tool_result``, a ``ToolAnswer``;
        ``user_prompt_submit``, a ``UserPrompt``. It returns None to let it happen, or what ``block``,
        ``rewrite``, ``replace`` and the like of its argument make. A handler that calls ``block``,
        ``withhold`` or ``handled`` and returns nothing is heard too. Any other decision that it does not return, and
        a change of what it was given, is an error. Several handlers are asked in the order of their
        definition, each with what the one before made of it.

        ``on_failure`` says what an exception or a missed deadline (some five seconds) means. It is
        ``block`` or ``allow``. Unless it is said, a failure blocks at ``tool_call``, ``turn_start`` and
        ``assistant_message``, and lets the others pass: who cuts secrets out of results says
        ``on_failure="block"``.

        Raises ValueError for an unknown point.
        """
        if not isinstance(point, str):
            raise TypeError('say at which point: @ext.intercept("tool_call")')
        from ._moment import POINTS

        if point not in POINTS:
            raise ValueError(f"there is no point {point!r}; there are {', '.join(POINTS)}")
        check_mode(on_failure)

        @at_the_authors_line
        def decorate(function: Any) -> Any:
            handler = Handler(function, f"the point {point}", ("moment",))
            self._in_time(handler, f"the point {point}")
            self._interceptors.setdefault(point, []).append(self._keep(handler))
            self._asks("interceptor", point, on_failure)
            self._require("intercept", point, required)
            return function

        return decorate

    @overload
    def guard(
        self,
        function: G,
        /,
        *,
        name: str | None = None,
        on_failure: _typed.OnFailure | None = None,
        required: bool = False,
    ) -> G: ...
    @overload
    def guard(
        self,
        /,
        *,
        name: str | None = None,
        on_failure: _typed.OnFailure | None = None,
        required: bool = False,
    ) -> Callable[[G], G]: ...
    @at_the_authors_line
    def guard(
        self,
        function: Callable[..., Any] | None = None,
        /,
        *,
        name: str | None = None,
        on_failure: _typed.OnFailure | None = None,
        required: bool = False,
    ) -> Any:
        """Sees every tool call with its final arguments, and may block it: ``@ext.guard``.

        The function gets a ``GuardedToolUse``. It sees the calls of the agent's own tools, and of those
        of other extensions. It returns None, ``call.block(reason)``, or ``call.ask(reason)``, which has
        a person decide. A guard that calls one of them and returns nothing does the same. Guards come
        after all interceptors.

        A guard that raises, or takes longer than some five seconds, blocks. With
        ``on_failure="allow"`` it lets the call pass. The extension has one such setting for all its
        guards and its interceptors of ``tool_call``: the one that was given last. ``name`` is what
        the host shows, in place of the function's name.

        Raises ValueError for another ``on_failure``.
        """
        check_mode(on_failure)
        if function is None:
            return at_the_authors_line(
                lambda function: self.guard(
                    function, name=name, on_failure=on_failure, required=required
                )
            )
        if isinstance(function, str):
            raise DefinitionError(f"the name of a guard is given by name: @ext.guard(name={function!r})")
        handler = Handler(function, "a guard", ("call",))
        handler.name = name or handler.name
        self._in_time(handler, f"the guard {handler.name}")
        self._add("guard", handler.name, function, lambda: None)
        self._guards.append(self._keep(handler))
        self._asks("guard", "tool_call", on_failure)
        self._require("guard", "tool_call", required)
        return function

    @at_the_authors_line
    def panel(self, id: str) -> Callable[[N], N]:
        """Is told what happens in a panel: ``@ext.panel("notes")``.

        The function gets a ``PanelInput``; ``ctx.panel(id)`` draws the panel anew. The inputs of
        one panel are handled one at a time, in their order. A command opens the panel by
        ``Response.open_panel``.
        """
        if not isinstance(id, str):
            raise TypeError('say which panel: @ext.panel("notes")')

        @at_the_authors_line
        def decorate(function: N) -> N:
            handler = Handler(function, f"the panel {id}", ("input",))
            self._add("panel", id, function, lambda: None)
            self._panels[id] = self._keep(handler)
            return function

        return decorate

    @at_the_authors_line
    def method(self, name: str) -> Callable[[F], F]:
        """Serves a method that the host may ask for: ``@ext.method("health.check")``.

        The function gets the params, any JSON value or None, and returns a JSON value. A
        ``ToolError`` becomes an error with its kind; anything else is ``internal``. What a generator
        yields are parts of the answer, which come before what it returns; an async generator has
        parts alone. ``ctx.send_part`` sends one from any function.
        """

        if not isinstance(name, str):
            raise TypeError('say which method: @ext.method("health.check")')

        @at_the_authors_line
        def decorate(function: F) -> F:
            from ._method import MethodHandler

            handler = MethodHandler(function, f"the method {name}")
            self._before_run(handler, f"the method {name}")
            self._add("method", name, function, lambda: None)
            self._methods[name] = self._keep(handler)
            return function

        return decorate

    @at_the_authors_line
    def state(self, *, version: int, migrate: Callable[..., Any] | None = None) -> None:
        """Says which version the values of ``ctx.state`` have: ``ext.state(version=2, migrate=migrate)``.

        It is 1 where nothing is said. Where the host keeps values of another version, ``migrate(values, version)`` is
        called with a dict of them and the version that they have, before anything of that scope is read or set, and
        returns the dict that stands in their place; it may be ``async``. All of them are replaced, or none. Without
        ``migrate``, or where it raises, what asks for such a value raises ``ToolError`` of kind ``conflict``.
        More than a megabyte of values comes in several calls, each with some of the keys.
        """
        if not isinstance(version, int) or isinstance(version, bool) or version < 1:
            raise TypeError(f"a version is a whole number from 1, and this is {version!r}")
        if migrate is not None:
            from ._state import migration

            self.method("state.migrate")(migration(migrate))
        self._state_version = version

    @overload
    def setup(self, function: N, /) -> N: ...
    @overload
    def setup(self, /) -> Callable[[N], N]: ...
    @at_the_authors_line
    def setup(self, function: Any = None, /) -> Any:
        """Runs once the host has answered, and may register: ``@ext.setup``.

        What it registers may depend on ``ctx.host``. A host waits three seconds for it, and then goes
        on without what is not registered yet. What it raises ends the extension with exit code 1.
        """
        if function is None:
            return self.setup
        handler = Handler(function, "setup", ())
        self._before_run(handler, "setup")
        self._setups.append(self._keep(handler))
        return function

    @overload
    def teardown(self, function: N, /) -> N: ...
    @overload
    def teardown(self, /) -> Callable[[N], N]: ...
    @at_the_authors_line
    def teardown(self, function: Any = None, /) -> Any:
        """Runs at the end, once every call is answered: ``@ext.teardown``.

        It must be done 1.25 s after the end began. A call that is never answered may take a second
        of that. It does not run where ``setup`` failed, or where the process was killed.
        """
        if function is None:
            return self.teardown
        handler = Handler(function, "teardown", ())
        self._before_run(handler, "teardown")
        self._teardowns.append(self._keep(handler))
        return function

    @at_the_authors_line
    def config(self, model: type[M], /) -> M:
        """Has the configuration made of that class: ``settings = ext.config(Settings)``.

        The class is a dataclass, a TypedDict, or a model of pydantic's or msgspec's. What is returned has the
        members of the configuration as it is at the moment, in handlers and in setup: ``settings.timeout_ms``.
        ``ctx.config`` is the whole of it, an instance of the class; without a class it is a dict.

        Where the host gives none, as a zot, the defaults of the class hold. A configuration that does not fit
        ends the extension at its start, with the JSON pointer of the member. One that comes later and does not
        fit is told in the log, and the one before goes on. ``@ext.on("config_changed")`` hears of a change.
        A secret is a reference, ``{"$secret": "api_key"}``.

        Raises DefinitionError.
        """
        if self._serving is not None:
            raise DefinitionError("the configuration is described too late: call ext.config before ext.run()")
        self._config.use(model)
        return Config(self._config)  # type: ignore[return-value]

    @at_the_authors_line
    def require(self, capability: str) -> None:
        """The extension ends where the host does not offer that capability: ``ext.require("rpc")``.

        The user is told which, and the exit code is 78.
        """
        if self._serving is not None:
            raise DefinitionError(
                f"the capability {capability} is required too late: call ext.require before ext.run()"
            )
        try:
            self._registrations.require("capability", capability)
        except ValueError as error:
            raise DefinitionError(str(error)) from None

    # How it runs.

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            from ._habits import of_extension

            raise of_extension(name)

    def run(self) -> None:
        """Serves until the host ends it; what follows it in the program runs then.

        Started by hand in a terminal it says what it is, and returns. Where there is an ``async``
        handler it starts an event loop. Raises SystemExit for an exit code other than 0,
        KeyboardInterrupt for Ctrl-C, and RuntimeError when the extension runs already, or inside of
        an event loop.
        """
        from ._run import run

        run(self)

    async def serve(self) -> int:
        """Serves in the running event loop until the host ends it; the exit code.

        Cancelling it ends the extension in order. Raises RuntimeError when it runs already.
        """
        from ._run import refuse

        refuse(self)
        from ._asyncio import serve

        try:
            return await serve(self)
        finally:
            self._has_ended = True


__all__ = ["DefinitionError", "Extension"]
