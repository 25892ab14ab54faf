"""An intercept's way through the interceptors and the guards of this extension."""

from __future__ import annotations

from . import _native
from ._failure import explain
from ._moment import ONLY_BLOCKS, POINTS, Decision, Moment, ToolUse

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


class InterceptChain:
    """Asks one handler after the other; whoever drives it calls them, or awaits them.

    As ``InterceptChain`` of the crate extline-protocol, and held to the same table of cases: what a
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
            moment = kind(self._frame)
            try:
                decision = ruling(handler, moment, (yield handler, moment))
                if not decision.get("block") and not decision.keys() <= _SEEN_AS.keys():
                    raise handler.mistake(f"returned a Decision of its own making: {_lines(moment)}")
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
            call = ToolUse(self._frame)
            try:
                decision = ruling(handler, call, (yield handler, call))
                if decision and decision.get("block") is not True:
                    raise handler.mistake(f"decided more than to block: {ONLY_BLOCKS}")
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

    def answer(self) -> None:
        """Once everybody was asked."""
        if self._failure is not None:
            _native.fail_intercept(self._ctx, self._failure)
        else:
            _native.answer_intercept(self._ctx, dict(self._fields))


def ruling(handler: Handler, moment: Moment, returned: Any) -> dict[str, Any]:
    """What a handler decided, as the fields of the answer.

    One that called ``block`` and returned nothing blocks. Whatever else looks like a decision, and
    is none, raises HandlerMistake.
    """
    if returned is None:
        for made in moment._made:
            if made.fields.get("block"):
                return made.fields
        for made in moment._made:
            raise handler.mistake(
                f"called {made._line} and did not return what it gave, so that it decided nothing: "
                f"return {_name_of(moment)}.{made._line}"
            )
        fields: dict[str, Any] = {}
    elif isinstance(returned, Decision):
        fields = returned.fields
    else:
        raise handler.mistake(f"returned {shown(returned)}, which decides nothing: {_lines(moment)}")
    if moment._is_changed() and not fields.get("block") and "modified_args" not in fields:
        raise handler.mistake(
            f"changed what it was given, which changes nothing: {moment._advice()}"
        )
    return fields


_NAMES = {"tool_call": "call", "turn_start": "turn", "assistant_message": "message"}


def _name_of(moment: Moment) -> str:
    return _NAMES.get(moment.event, "start")


def _lines(moment: Moment) -> str:
    """What would decide something."""
    name = _name_of(moment)
    lines = [f'return {name}.block("...")', "return None to let it happen"]
    if moment.event == "before_agent_start":
        lines[0] = moment._advice()
    elif moment._advice() not in lines and type(moment) is not ToolUse:
        lines.insert(1, moment._advice())
    return ", or ".join([", ".join(lines[:-1]), lines[-1]])


def shown(returned: Any) -> str:
    """What a handler returned, as an author would name it."""
    if hasattr(returned, "__await__"):
        if hasattr(returned, "close"):
            returned.close()  # or Python tells that nobody awaited it
        return "something to await, as a function without `async` does that calls one with it"
    if callable(returned) and hasattr(returned, "__self__"):
        return f"the method {returned.__name__} itself, which is not called"
    text = repr(returned)
    return text if len(text) <= 60 else f"a {type(returned).__name__}"
