"""An intercept's way through the interceptors and the guards of this extension."""

from __future__ import annotations

from . import _native
from ._failure import explain
from ._moment import POINTS, Decision, Moment, ToolUse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator
    from typing import Any

    from ._extension import Extension
    from ._handler import Handler
    from ._native import Context

    Asked = Generator[tuple[Handler, Moment], Any, None]

# Where a decision's field stands in what the next handler sees.
_SEEN_AS = {
    "modified_args": "tool_args",
    "replace_text": "text",
    "system_prompt": "system_prompt",
}


class Course:
    """Asks one handler after the other; whoever drives it calls them, or awaits them.

    As ``Course`` of the crate extline-protocol, and held to the same table of cases: what a
    handler is shown and decides would have to become JSON and back for each of them there.
    """

    def __init__(self, extension: Extension, ctx: Context, frame: dict[str, Any]) -> None:
        self._ctx = ctx
        self._frame = frame
        self._point: str = frame["event"]
        self._fails_open = _native.fails_open(ctx, self._point)
        phase = frame.get("phase")
        self._interceptors = [] if phase == "guard" else extension._interceptors.get(self._point, [])
        self._guards = extension._guards if self._point == "tool_call" else []
        if phase == "intercept":
            self._guards = []
        self._fields: dict[str, Any] = {}
        self._failure: str | None = None

    def ask(self) -> Asked:
        """Yields each handler with what it is to see, and is sent what it decided, or thrown what
        it raised."""
        yield from self._ask_interceptors()
        if self._failure is None and not self._fields.get("block"):
            yield from self._ask_guards()

    def _ask_interceptors(self) -> Asked:
        original = self._frame
        kind = POINTS.get(self._point, Moment)
        for handler in self._interceptors:
            try:
                decision = self._checked((yield handler, kind(self._frame)))
            except Exception as error:
                self._failed(error, f"interceptor of {self._point}")
                # Where that lets it pass, no rewrite counts.
                self._frame, self._fields = original, {}
                return
            if decision.get("block"):
                self._fields = decision
                return
            self._fields.update(decision)
            changed = {_SEEN_AS[name]: value for name, value in decision.items()}
            self._frame = {**self._frame, **changed}

    def _ask_guards(self) -> Asked:
        for handler in self._guards:
            _native.guarding(self._ctx, handler.name)
            try:
                decision = self._checked((yield handler, ToolUse(self._frame)))
                if decision and not decision.get("block"):
                    raise TypeError("a guard may only block; an interceptor may rewrite")
            except Exception as error:
                self._failed(error, f"guard {handler.name}")
                if self._failure is not None:
                    return
                continue
            if decision:
                self._fields = decision
                return

    def _failed(self, error: Exception, handler: str) -> None:
        failure = explain(error, handler)
        if not self._fails_open:
            self._failure = failure

    def _checked(self, decision: Any) -> dict[str, Any]:
        if decision is None:
            return {}
        if isinstance(decision, Decision):
            return decision.fields
        raise TypeError(
            "return None, or what block(), rewrite() and the like make; "
            f"this is {type(decision).__name__}"
        )

    def answer(self) -> None:
        """Once everybody was asked."""
        if self._failure is not None:
            _native.fail_intercept(self._ctx, self._failure)
        else:
            _native.answer_intercept(self._ctx, dict(self._fields))
