"""What a host tells and asks about: events, and what is about to happen."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# What an event may carry; which of it stands depends on the event.
_PAYLOAD = frozenset(
    "step stop error tool_id tool_name tool_args text session_id cwd sequence status reason source "
    "decision stage result executed tool_args_raw tool_preview message_count token_estimate "
    "compaction_id agent_id agent_run_id name queued image_count origin_extension provider model "
    "phase".split()
)


class Event:
    """Something happened: ``event.event`` says what (``turn_start``, ...).

    The rest of what the host says are attributes: ``event.tool_name``, ``event.text``; None where
    it does not say it, AttributeError for what no event has. ``event.payload`` is all of it, as a
    dict.
    """

    __slots__ = ("event", "payload")

    def __init__(self, frame: dict[str, Any]) -> None:
        self.event: str = frame["event"]
        self.payload = {
            key: value for key, value in frame.items() if key not in ("type", "id", "event")
        }

    def __getattr__(self, name: str) -> Any:
        if name in _PAYLOAD:
            return self.payload.get(name)
        raise AttributeError(f"an event has no {name!r}; it has {', '.join(self.payload)}")

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.event} {self.payload}>"


class Decision:
    """What becomes of something that is about to happen: made by the methods of what an
    interceptor or a guard is given, and returned by it."""

    __slots__ = ("fields",)

    def __init__(self, **fields: Any) -> None:
        self.fields = fields

    def __repr__(self) -> str:
        return f"Decision({', '.join(f'{k}={v!r}' for k, v in self.fields.items())})"


class Moment(Event):
    """Something is about to happen; a handler returns what is to become of it, or None."""

    __slots__ = ()

    def allow(self) -> Decision:
        """It goes on. Returning None says the same."""
        return Decision()

    def block(self, reason: str) -> Decision:
        """It must not happen; the model or the user reads why.

        What happens at ``before_agent_start`` cannot be blocked.
        """
        return Decision(block=True, reason=reason)


class ToolUse(Moment):
    """A tool is about to be called: ``call.tool``, ``call.args``, ``call.tool_id``. What a guard
    gets."""

    __slots__ = ()

    @property
    def tool(self) -> str:
        """The tool's name."""
        return self.payload.get("tool_name") or ""

    @property
    def args(self) -> dict[str, Any]:
        """The arguments; empty when there are none."""
        args = self.payload.get("tool_args")
        return args if isinstance(args, dict) else {}


class RewritableToolUse(ToolUse):
    """A tool call as an interceptor sees it; guards come after the last rewrite."""

    __slots__ = ()

    def rewrite(self, args: dict[str, Any]) -> Decision:
        """It is called with these arguments instead; the host checks them against the schema."""
        if not isinstance(args, dict):
            raise TypeError(f"arguments are a dict, and these are {type(args).__name__}")
        return Decision(modified_args=args)


class ModelCall(Moment):
    """The model is about to be called: ``turn.step`` counts the calls of a prompt."""

    __slots__ = ()


class Message(Moment):
    """A message of the model is about to count: ``message.text``."""

    __slots__ = ()

    def replace(self, text: str) -> Decision:
        """Another text counts instead."""
        return Decision(replace_text=text)


class AgentStart(Moment):
    """An agent is about to run: ``start.current_prompt`` is its system prompt."""

    __slots__ = ()

    @property
    def current_prompt(self) -> str:
        """The system prompt as it stands."""
        return self.payload.get("system_prompt") or ""

    def system_prompt(self, prompt: str) -> Decision:
        """Another system prompt; an empty one removes it."""
        return Decision(system_prompt=prompt)


POINTS: dict[str, type[Moment]] = {
    "tool_call": RewritableToolUse,
    "turn_start": ModelCall,
    "assistant_message": Message,
    "before_agent_start": AgentStart,
}
