"""Actions that a handler proposes, and that are done only when the model, or a person, says so."""

from __future__ import annotations

from ._answered import through
from ._errors import ToolError
from ._handler import Handler
from ._result import Image, ToolResult

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from typing import Any

    from ._extension import Extension
    from ._native import Context
    from ._services import PendingPush

class Pending:
    """Proposes actions: ``ctx.pending.push("12 edits", apply=write, reject=forget)``.

    A host where nothing can be proposed raises ``ToolError`` of kind ``unsupported``;
    ``ctx.host.serves("pending.push")`` tells before.
    """

    __slots__ = ("_actions", "_ctx")

    def __init__(self, ctx: Context, actions: Actions) -> None:
        self._ctx = ctx
        self._actions = actions

    def push(
        self,
        label: str,
        *,
        apply: Callable[..., Any],
        reject: Callable[..., Any] | None = None,
        summary: str | None = None,
        details: Any = None,
    ) -> Any:
        """Proposes an action and returns its id; nothing is done yet. To be awaited in an ``async`` handler.

        ``label`` says in a line what would be done, ``summary`` in more, and ``details`` is the same as any JSON value.
        When the model, or a person, wants it, ``apply`` is called, with why as a str where it takes one, and ``ctx``. It
        returns what a tool may return. Where it raises, the action stays pending, and may be applied again. ``reject``
        is called where nobody wants it, and where the conversation has become another one. Both may be ``async`` in an
        extension with ``async`` handlers.
        """
        actions = self._actions
        handle = str(actions.count)
        actions.count += 1
        on_apply = Handler(apply, f"apply of {label!r}", ("reason",))
        on_reject = None if reject is None else Handler(reject, f"reject of {label!r}", ("reason",))
        for handler in (on_apply, on_reject):
            if handler is not None:
                actions.extension._keep(handler)
        params: PendingPush = {"handle": handle, "label": label}
        if summary is not None:
            params["summary"] = summary
        if details is not None:
            params["details"] = details
        # It may be resolved before this handler goes on.
        actions.handlers[handle] = (on_apply, on_reject)
        return through(self._pushing(handle, params))

    def _pushing(self, handle: str, params: PendingPush) -> Generator[Any, Any, str]:
        try:
            answer = yield self._ctx.request("pending.push", params)
        except BaseException:
            self._actions.handlers.pop(handle, None)
            raise
        action: str = answer["action_id"]
        return action

    def __repr__(self) -> str:
        return f"<extline.Pending of {self._ctx!r}>"


class Actions:
    """The handlers of what an extension has proposed, by handle."""

    __slots__ = ("count", "extension", "handlers")

    def __init__(self, extension: Extension) -> None:
        self.extension = extension
        self.count = 1
        self.handlers: dict[str, tuple[Handler, Handler | None]] = {}

    def handler(self, method: str, params: Any) -> Handler:
        """What answers a request of the host's."""
        return Resolving(self, method, str((params or {}).get("handle")))


class Resolving(Handler):
    """The handler of an action that is resolved; it is forgotten with it."""

    __slots__ = ("_actions", "_handle", "_is_apply")

    def __init__(self, actions: Actions, method: str, handle: str) -> None:
        self._actions = actions
        self._handle = handle
        self._is_apply = method == "pending.apply"
        apply, reject = actions.handlers.get(handle, (None, None))
        handler = apply if self._is_apply else reject
        if handler is None:
            handler = _UNKNOWN if self._is_apply else _NOTHING
        if not self._is_apply:
            actions.handlers.pop(handle, None)
        super().__init__(handler.function, "an action", ("reason",))
        self.name = handler.name

    def call(self, ctx: Context, *values: Any) -> Any:
        """Calls it with the reason."""
        return super().call(ctx, values[0]["reason"])

    def answer(self, ctx: Context, returned: Any) -> None:
        """Answers the host with what it returned, as the result of a tool."""
        result = _result(returned)
        super().answer(ctx, result)
        if self._is_apply and not result.get("is_error"):
            self._actions.handlers.pop(self._handle, None)


def _nothing() -> None:
    """Nobody wants to know that an action is not wanted."""


def _unknown() -> None:
    raise ToolError.not_found("the extension has no such action")


_NOTHING = Handler(_nothing, "an action", ())
_UNKNOWN = Handler(_unknown, "an action", ())


def _result(returned: Any) -> dict[str, Any]:
    """The members of a result: those that such an answer may have."""
    if not isinstance(returned, ToolResult):
        is_content = returned is None or isinstance(returned, (str, Image))
        returned = ToolResult(returned) if is_content else ToolResult(structured=returned)
    frame = returned._frame()
    names = ("content", "structured_content", "details", "is_error")
    return {name: frame[name] for name in names if frame.get(name) not in (None, [])}
