"""What an agent tells of, a class for each event, to annotate handlers with.

    from extline import events

    @ext.on("turn_end")
    def ended(event: events.TurnEnd) -> None:
        ext.log(f"the turn ended: {event.stop}")

Each has the fields of its event as attributes; one that the host does not say is None. A host that
is older than an event never sends it.

Written from docs/protocol/specification.md by `make generate`, never by hand.
"""

from __future__ import annotations

from ._event import Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class _Told(Event):
    __slots__ = ()

    session_id: str | None
    cwd: str | None
    sequence: int | None


class SessionStart(_Told):
    """``session_start``: a conversation opens; hosts of extline say why: ``startup``, ``resume``, ``new`` or ``fork``."""

    __slots__ = ()

    reason: str | None
    """Why."""


class TurnStart(_Told):
    """``turn_start``: a model call begins."""

    __slots__ = ()

    step: int | None
    """Number of the model call within the prompt, from 1."""


class TurnEnd(_Told):
    """``turn_end``: a model call ended; its tools run after it, unless the host says ``tool_results``."""

    __slots__ = ()

    stop: str | None
    """Why a turn ended: ``end``, ``length``, ``tool_use``, ``error``, ``aborted``."""
    error: str | None
    """What went wrong."""
    message: dict[str, Any] | None
    """A message: ``role`` and ``content``, of a tool ``tool_id``, ``tool_name`` and ``is_error`` too; ``truncated`` says that blocks were cut."""
    tool_results: list[dict[str, Any]] | None
    """What the tools of the turn answered, as messages of the role ``tool``."""


class ToolCall(_Told):
    """``tool_call``: the model asked for a tool; the arguments are its own."""

    __slots__ = ()

    tool_id: str | None
    """The model's id of the tool call."""
    tool_name: str | None
    """The tool."""
    tool_args: dict[str, Any] | None
    """Its arguments."""


class AssistantMessage(_Told):
    """``assistant_message``: a message of the model is complete; after a rewrite it is the rewritten one."""

    __slots__ = ()

    text: str | None
    """The text of a message."""


class SessionEnd(_Told):
    """``session_end``: the conversation closes."""

    __slots__ = ()

    reason: str | None
    """Why."""


class UserPromptSubmit(_Told):
    """``user_prompt_submit``: the user's input was taken."""

    __slots__ = ()

    text: str | None
    """The text of a message."""
    queued: bool | None
    """The prompt waits for the running turn to end."""
    image_count: int | None
    """Images in the prompt."""


class ToolResult(_Told):
    """``tool_result``: a tool call ended; the arguments are the final ones."""

    __slots__ = ()

    tool_id: str | None
    """The model's id of the tool call."""
    tool_name: str | None
    """The tool."""
    tool_args: dict[str, Any] | None
    """Its arguments."""
    tool_args_raw: str | None
    """The arguments as the model wrote them, where they are no JSON."""
    status: str | None
    """``completed``, ``failed``, ``blocked``, ``cancelled``, ``timed_out``."""
    executed: bool | None
    """Whether the tool was entered."""
    result: dict[str, Any] | None
    """What a tool answered: ``content``, ``is_error``, ``truncated``; at the point ``tool_result`` it is whole, with ``structured_content``, ``details`` and ``error`` as in ``tool_result``."""


class ToolConfirmationRequested(_Told):
    """``tool_confirmation_requested``: the user is about to be asked about a call."""

    __slots__ = ()

    tool_id: str | None
    """The model's id of the tool call."""
    tool_name: str | None
    """The tool."""
    tool_preview: str | None
    """The call in a line, for a person."""


class PermissionDecision(_Told):
    """``permission_decision``: it was decided whether a call may run."""

    __slots__ = ()

    tool_id: str | None
    """The model's id of the tool call."""
    tool_name: str | None
    """The tool."""
    decision: str | None
    """``approved``, ``denied``, ``cancelled``."""
    source: str | None
    """Who decided: ``user``, ``remembered``, ``policy``, ``yolo``."""
    stage: str | None
    """``pre_execution`` or ``tool_execution``."""
    reason: str | None
    """Why."""


class PreCompact(_Told):
    """``pre_compact``: the history is about to be shortened."""

    __slots__ = ()

    compaction_id: str | None
    """The compaction."""
    message_count: int | None
    """Messages in the history."""
    token_estimate: int | None
    """Tokens in the history, about."""
    trigger: str | None
    """What led to a compaction: ``manual``, ``threshold``, ``overflow``, ``idle``."""
    action: str | None
    """How the history is shortened: ``summary``, ``handoff``, or a way of the agent's own."""


class PostCompact(PreCompact):
    """``post_compact``: the history was shortened, or was not."""

    __slots__ = ()

    status: str | None
    """``completed``, ``failed``, ``blocked``, ``cancelled``, ``timed_out``."""
    error: str | None
    """What went wrong."""
    will_retry: bool | None
    """Whether it is tried again."""


class SubagentStart(_Told):
    """``subagent_start``: a subagent begins."""

    __slots__ = ()

    agent_id: str | None
    """The subagent."""
    agent_run_id: str | None
    """One run of it."""
    name: str | None
    """The subagent's name."""


class SubagentStop(SubagentStart):
    """``subagent_stop``: a subagent ended."""

    __slots__ = ()

    status: str | None
    """``completed``, ``failed``, ``blocked``, ``cancelled``, ``timed_out``."""
    error: str | None
    """What went wrong."""


class ConfigChanged(_Told):
    """``config_changed``: the configuration of the extension is another one."""

    __slots__ = ()

    config: dict[str, Any] | None
    """The configuration of the extension as it is from now on, an object."""


class SessionSwitch(_Told):
    """``session_switch``: another conversation is served from now on."""

    __slots__ = ()

    previous_session: str | None
    """The conversation that was served before."""


class SessionBranch(SessionSwitch):
    """``session_branch``: a conversation that branched off is served from now on."""

    __slots__ = ()


class SessionTree(_Told):
    """``session_tree``: the conversation goes on at another place of its history."""

    __slots__ = ()

    old_leaf: str | None
    """The place in the history of the conversation before."""
    new_leaf: str | None
    """The place in it now."""


class AgentStart(_Told):
    """``agent_start``: the agent takes up a prompt."""

    __slots__ = ()

    agent_run_id: str | None
    """One run of it."""


class AgentEnd(AgentStart):
    """``agent_end``: the agent is done with the prompt; ``message_count`` is that of all its messages, also of those that are left out."""

    __slots__ = ()

    stop: str | None
    """Why a turn ended: ``end``, ``length``, ``tool_use``, ``error``, ``aborted``."""
    error: str | None
    """What went wrong."""
    messages: list[dict[str, Any]] | None
    """The messages that came of the prompt, the newest last."""
    message_count: int | None
    """Messages in the history."""


class MessageStart(_Told):
    """``message_start``: a message begins, of whatever role."""

    __slots__ = ()

    message: dict[str, Any] | None
    """A message: ``role`` and ``content``, of a tool ``tool_id``, ``tool_name`` and ``is_error`` too; ``truncated`` says that blocks were cut."""


class MessageUpdate(MessageStart):
    """``message_update``: a message has grown; ``message`` is all of it as it stands."""

    __slots__ = ()


class MessageEnd(MessageStart):
    """``message_end``: a message is complete."""

    __slots__ = ()


class AutoRetryStart(_Told):
    """``auto_retry_start``: a call of the model failed and is made again."""

    __slots__ = ()

    attempt: int | None
    """Which try it is, from 1."""
    max_attempts: int | None
    """How many tries there are at most; absent where there is no limit."""
    delay_ms: int | None
    """How long it waits before that try, in milliseconds."""
    error: str | None
    """What went wrong."""


class AutoRetryEnd(_Told):
    """``auto_retry_end``: the tries are over: ``completed``, ``failed`` or ``cancelled``."""

    __slots__ = ()

    attempt: int | None
    """Which try it is, from 1."""
    status: str | None
    """``completed``, ``failed``, ``blocked``, ``cancelled``, ``timed_out``."""
    error: str | None
    """What went wrong."""


class RuleTriggered(_Told):
    """``rule_triggered``: what the model wrote broke a rule, which it is reminded of."""

    __slots__ = ()

    rules: list[str] | None
    """The names of the rules."""
    text: str | None
    """The text of a message."""


class TodoReminder(_Told):
    """``todo_reminder``: the agent wants to end, and is reminded of what is not done."""

    __slots__ = ()

    todos: list[dict[str, Any]] | None
    """What is not done yet, each with ``text`` and ``status``: ``pending``, ``in_progress``, ``completed``, ``abandoned``."""
    attempt: int | None
    """Which try it is, from 1."""
    max_attempts: int | None
    """How many tries there are at most; absent where there is no limit."""


class ModelChanged(_Told):
    """``model_changed``: another model is asked from now on."""

    __slots__ = ()

    model: str | None
    """The model."""
    provider: str | None
    """The model's provider."""


class CwdChanged(_Told):
    """``cwd_changed``: the working directory is another one: ``cwd``."""

    __slots__ = ()


EVENTS: dict[str, type[Event]] = {
    "session_start": SessionStart,
    "turn_start": TurnStart,
    "turn_end": TurnEnd,
    "tool_call": ToolCall,
    "assistant_message": AssistantMessage,
    "session_end": SessionEnd,
    "user_prompt_submit": UserPromptSubmit,
    "tool_result": ToolResult,
    "tool_confirmation_requested": ToolConfirmationRequested,
    "permission_decision": PermissionDecision,
    "pre_compact": PreCompact,
    "post_compact": PostCompact,
    "subagent_start": SubagentStart,
    "subagent_stop": SubagentStop,
    "config_changed": ConfigChanged,
    "session_switch": SessionSwitch,
    "session_branch": SessionBranch,
    "session_tree": SessionTree,
    "agent_start": AgentStart,
    "agent_end": AgentEnd,
    "message_start": MessageStart,
    "message_update": MessageUpdate,
    "message_end": MessageEnd,
    "auto_retry_start": AutoRetryStart,
    "auto_retry_end": AutoRetryEnd,
    "rule_triggered": RuleTriggered,
    "todo_reminder": TodoReminder,
    "model_changed": ModelChanged,
    "cwd_changed": CwdChanged,
}

__all__ = [
    "SessionStart",
    "TurnStart",
    "TurnEnd",
    "ToolCall",
    "AssistantMessage",
    "SessionEnd",
    "UserPromptSubmit",
    "ToolResult",
    "ToolConfirmationRequested",
    "PermissionDecision",
    "PreCompact",
    "PostCompact",
    "SubagentStart",
    "SubagentStop",
    "ConfigChanged",
    "SessionSwitch",
    "SessionBranch",
    "SessionTree",
    "AgentStart",
    "AgentEnd",
    "MessageStart",
    "MessageUpdate",
    "MessageEnd",
    "AutoRetryStart",
    "AutoRetryEnd",
    "RuleTriggered",
    "TodoReminder",
    "ModelChanged",
    "CwdChanged",
]
