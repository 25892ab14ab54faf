"""An intercept's way through the interceptors and the guards of this extension."""

from __future__ import annotations

from ._failure import explain_all
from ._moment import ONLY_BLOCKS, POINTS, Decision, GuardedToolUse, Moment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator
    from typing import Any

    from ._handler import Handler
    from ._native import InterceptChain

    Asked = Generator[tuple[Any, ...], Any, None]

# What a handler may rewrite, one at a time.
_REWRITES = {"modified_args", "replace_text", "system_prompt", "replace_result"}
# What counts also where the handler does not return it: what its author meant to stop would go on.
_STOPS = ("block", "handled")


def ask(point: str, frame: dict[str, Any], chain: InterceptChain) -> Asked:
    """Yields each handler with what it is to see, and is sent what it decided, or thrown what it
    raised. The host has its answer when it ends."""
    kind = POINTS.get(point, Moment)
    while (turn := chain.next()) is not None:
        handler, is_guard = turn
        moment = GuardedToolUse(frame) if is_guard else kind(frame)
        try:
            decision = ruling(handler, moment, (yield handler, moment))
            if decision:
                check(handler, moment, decision, is_guard)
            chain.decided(decision)
        except Exception as error:
            decision = {}
            what = f"guard {handler.name}" if is_guard else f"interceptor of {point}"
            chain.failed(explain_all(error, what))
            # Where that lets it pass, no rewrite counts.
            frame = chain.frame() or frame
        if decision:
            frame = chain.frame() or frame


def check(handler: Handler, moment: Moment, decision: dict[str, Any], is_guard: bool) -> None:
    """Raises HandlerMistake for a decision that no method of a moment makes."""
    if is_guard and decision.get("block") is not True:
        raise handler.mistake(f"decided more than to block or ask: {ONLY_BLOCKS}")
    is_rewrite = len(decision) == 1 and decision.keys() <= {*_REWRITES, "handled"}
    if not is_rewrite and not decision.get("block"):
        raise handler.mistake(f"returned a Decision of its own making: {_lines(moment)}")


def ruling(handler: Handler, moment: Moment, returned: Any) -> dict[str, Any]:
    """What a handler decided, as the fields of the answer.

    One that called ``block`` and returned nothing blocks. Whatever else looks like a decision, and
    is none, raises HandlerMistake.
    """
    if returned is None:
        for made in moment._made:
            if any(made.fields.get(stop) for stop in _STOPS):
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
    is_said = fields.get("block") or "modified_args" in fields or "replace_result" in fields
    if moment._is_changed() and not is_said:
        raise handler.mistake(
            f"changed what it was given, which changes nothing: {moment._advice()}"
        )
    return fields


_NAMES = {
    "tool_call": "call",
    "turn_start": "turn",
    "assistant_message": "message",
    "tool_result": "result",
    "user_prompt_submit": "prompt",
}


def _name_of(moment: Moment) -> str:
    return _NAMES.get(moment.event, "start")


def _lines(moment: Moment) -> str:
    """What would decide something."""
    name = _name_of(moment)
    stop = "withhold" if moment.event == "tool_result" else "block"
    lines = [f'return {name}.{stop}("...")', "return None to let it happen"]
    if moment.event == "before_agent_start":
        lines[0] = moment._advice()
    elif moment._advice() not in lines and type(moment) is not GuardedToolUse:
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
