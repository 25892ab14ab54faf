"""How an extension registers, before it runs and while it does, and whether it is the time for that."""

from __future__ import annotations

from . import _native
from ._handler import Handler
from ._register_tool import register_tool
from ._signature import Place
from ._speaking import Speaking

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ._describe import Described


class Registering(Speaking):
    """The half of an extension that keeps what its decorators are given."""

    _registrations: _native.Registrations
    _where: dict[tuple[str, str], str]
    _advisers: dict[str, Handler]
    _has_async = False
    # It ran, and its session is over.
    _has_ended = False

    def _add_tool(self, described: Described, options: dict[str, Any]) -> None:
        frame = register_tool(described, options)
        adviser = None
        if callable(options["gated"]):
            from ._adviser import Adviser

            adviser = self._keep(Adviser(options["gated"], described.name))
        unchecked = self._registry.tool(
            frame,
            described.function,
            bind=described.bind,
            plain=described.plain,
            makes_objects=described.makes_objects,
            context=described.context,
            is_async=described.is_async,
            is_generator=described.is_generator,
        )
        if adviser is not None:
            self._advisers[described.name] = adviser
        for problem in unchecked if options["schema"] is not None else ():
            _native.report(f"the schema of the tool {described.name}: {problem}")

    @property
    def _registry(self) -> _native.Registrations:
        """What is registered with, before it runs and while it does."""
        running = self._serving
        return self._registrations if running is None else running.session.registrations

    def _in_time(self, handler: Handler, what: str) -> None:
        """A host is told what it is to tell and to ask once, when the extension is ready."""
        if self._serving is not None and self._serving.is_set_up:
            raise Place(handler.function).mistake(
                f"{what} comes too late: a host takes it before the extension is ready; register "
                "it outside of handlers, or in setup"
            )

    def _before_run(self, handler: Handler, what: str) -> None:
        if self._serving is not None:
            raise Place(handler.function).mistake(
                f"{what} comes too late: register it outside of handlers, before ext.run()"
            )

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

    def _asks(self, kind: str, point: str, on_failure: str | None) -> None:
        registry = self._registry
        registry.subscribe(kind, point)
        if on_failure is not None:
            registry.on_failure(point, on_failure)

    def _require(self, kind: str, name: str, required: bool) -> None:
        if required:
            self._registry.require(kind, name)

    def _add(self, kind: str, name: str, function: Any, add: Callable[[], Any]) -> None:
        """Registers, or says where the mistake is."""
        place = Place(function)
        if self._has_ended:
            raise place.mistake(
                f"the {kind} {name} comes behind ext.run(), which returns when the session has ended; "
                "register it above"
            )
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


def check_mode(on_failure: str | None) -> None:
    """Refuses what is no mode of a failure."""
    if on_failure not in (None, "allow", "block"):
        raise ValueError(f"on_failure is 'allow' or 'block', and not {on_failure!r}")
