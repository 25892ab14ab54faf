"""What an agent tells of, a class for each event, to annotate handlers with.

    from extline import events

    @ext.on("turn_end")
    def ended(event: events.TurnEnd) -> None:
        ext.log(f"the turn ended: {event.stop}")

Each has the fields of its event as attributes; one that the host does not say is None. A host that
is older than an event never sends it.
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
    """``session_start``: a conversation opens."""

    __slots__ = ()

    reason: str | None
    """``startup``, ``resume``, ``new`` or ``fork``; only hosts of extline say it."""


class SessionEnd(_Told):
    """``session_end``: the conversation closes."""

    __slots__ = ()

    reason: str | None
    """Why."""


class UserPromptSubmit(_Told):
    """``user_prompt_submit``: the user's input was taken."""

    __slots__ = ()

    text: str | None
    """What the user wrote."""
    queued: bool | None
    """Whether the prompt waits for the running turn to end."""
    image_count: int | None
    """How many images are in the prompt."""


class TurnStart(_Told):
    """``turn_start``: a call of the model begins."""

    __slots__ = ()

    step: int | None
    """The number of this call within the prompt, from 1."""


class TurnEnd(_Told):
    """``turn_end``: a call of the model ended. Its tools run after it, unless there are results."""

    __slots__ = ()

    stop: str | None
    """Why it ended: ``end``, ``length``, ``tool_use``, ``error`` or ``aborted``."""
    error: str | None
    """What went wrong."""
    message: dict[str, Any] | None
    """The message of the model, as that of ``message_end``."""
    tool_results: list[dict[str, Any]] | None
    """What the tools of the turn answered, as messages of the role ``tool``."""


class AssistantMessage(_Told):
    """``assistant_message``: a message of the model is complete, rewritten where somebody did."""

    __slots__ = ()

    text: str | None
    """Its text; None where the message has none."""


class _OfTool(_Told):
    __slots__ = ()

    tool_id: str | None
    """The model's id of the call."""
    tool_name: str | None
    """The tool."""


class ToolCall(_OfTool):
    """``tool_call``: the model asked for a tool, with these arguments of its own."""

    __slots__ = ()

    tool_args: dict[str, Any] | None
    """The arguments as the model gave them, before any interceptor."""


class ToolResult(_OfTool):
    """``tool_result``: a tool call ended."""

    __slots__ = ()

    tool_args: dict[str, Any] | None
    """The arguments with which it ran."""
    tool_args_raw: str | None
    """The arguments as the model wrote them, where they are no JSON."""
    status: str | None
    """``completed``, ``failed``, ``blocked``, ``cancelled`` or ``timed_out``."""
    executed: bool | None
    """Whether the tool was entered."""
    result: dict[str, Any] | None
    """What it answered: ``content``, a list of blocks, ``is_error`` and ``truncated``."""


class ToolConfirmationRequested(_OfTool):
    """``tool_confirmation_requested``: the user is about to be asked about a call."""

    __slots__ = ()

    tool_preview: str | None
    """The call in a line, for a person."""


class PermissionDecision(_OfTool):
    """``permission_decision``: it was decided whether a call may run."""

    __slots__ = ()

    decision: str | None
    """``approved``, ``denied`` or ``cancelled``."""
    source: str | None
    """Who decided: ``user``, ``remembered``, ``policy`` or ``yolo``."""
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
    """How many messages the history has."""
    token_estimate: int | None
    """How many tokens it has, about."""
    trigger: str | None
    """What led to it: ``manual``, ``threshold``, ``overflow`` or ``idle``."""
    action: str | None
    """How it is shortened: ``summary``, ``handoff``, or a way of the agent's own."""


class PostCompact(PreCompact):
    """``post_compact``: the history was shortened, or was not."""

    __slots__ = ()

    status: str | None
    """``completed`` or ``failed``."""
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
    """This run of it."""
    name: str | None
    """Its name."""


class SubagentStop(SubagentStart):
    """``subagent_stop``: a subagent ended."""

    __slots__ = ()

    status: str | None
    """``completed``, ``failed`` or ``cancelled``."""
    error: str | None
    """What went wrong."""


class ConfigChanged(_Told):
    """``config_changed``: the configuration of the extension is another one.

    ``ctx.config`` and what :meth:`Extension.config` returned have the new values already.
    """

    __slots__ = ()

    config: dict[str, Any] | None
    """The whole configuration from now on, as the host gave it."""


class SessionSwitch(_Told):
    """``session_switch``: another conversation is served from now on."""

    __slots__ = ()

    previous_session: str | None
    """The one before."""


class SessionBranch(SessionSwitch):
    """``session_branch``: a conversation that branched off is served from now on."""

    __slots__ = ()


class SessionTree(_Told):
    """``session_tree``: the conversation goes on at another place of its history."""

    __slots__ = ()

    old_leaf: str | None
    """The place before."""
    new_leaf: str | None
    """The place now."""


class AgentStart(_Told):
    """``agent_start``: the agent takes up a prompt."""

    __slots__ = ()

    agent_run_id: str | None
    """This run of it."""


class AgentEnd(AgentStart):
    """``agent_end``: the agent is done with the prompt."""

    __slots__ = ()

    stop: str | None
    """Why it ended, as ``stop`` of ``turn_end``."""
    error: str | None
    """What went wrong."""
    messages: list[dict[str, Any]] | None
    """The messages that came of the prompt, the newest last. The oldest of long ones are left out."""
    message_count: int | None
    """How many there were."""


class MessageStart(_Told):
    """``message_start``: a message begins, of whatever role."""

    __slots__ = ()

    message: dict[str, Any] | None
    """``role`` (``user``, ``assistant``, ``tool``, ...), and ``content``, a list of blocks. That of a tool
    has ``tool_id``, ``tool_name`` and ``is_error``; ``truncated`` says that blocks were cut."""


class MessageUpdate(MessageStart):
    """``message_update``: a message has grown. ``message`` is all of it as it stands.

    Where the handler is slower than the model it is told of the newest state alone.
    """

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
    """How many there are at most; None where there is no limit."""
    delay_ms: int | None
    """How long it waits before, in milliseconds."""
    error: str | None
    """What went wrong."""


class AutoRetryEnd(_Told):
    """``auto_retry_end``: the tries are over."""

    __slots__ = ()

    attempt: int | None
    """Which try it was, from 1."""
    status: str | None
    """``completed``, ``failed`` or ``cancelled``."""
    error: str | None
    """What went wrong."""


class RuleTriggered(_Told):
    """``rule_triggered``: what the model wrote broke a rule, which it is reminded of."""

    __slots__ = ()

    rules: list[str] | None
    """The names of the rules."""
    text: str | None
    """What broke them."""


class TodoReminder(_Told):
    """``todo_reminder``: the agent wants to end, and is reminded of what is not done."""

    __slots__ = ()

    todos: list[dict[str, Any]] | None
    """What is not done, each with ``text`` and ``status``: ``pending``, ``in_progress``, ..."""
    attempt: int | None
    """Which reminder it is, from 1."""
    max_attempts: int | None
    """How many there are at most; None where there is no limit."""


class ModelChanged(_Told):
    """``model_changed``: another model is asked from now on."""

    __slots__ = ()

    model: str | None
    """The model."""
    provider: str | None
    """Its provider."""


class CwdChanged(_Told):
    """``cwd_changed``: the working directory is another one from now on: ``cwd``."""

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
    "AgentEnd",
    "AgentStart",
    "AssistantMessage",
    "AutoRetryEnd",
    "AutoRetryStart",
    "ConfigChanged",
    "CwdChanged",
    "MessageEnd",
    "MessageStart",
    "MessageUpdate",
    "ModelChanged",
    "PermissionDecision",
    "PostCompact",
    "PreCompact",
    "RuleTriggered",
    "SessionBranch",
    "SessionEnd",
    "SessionStart",
    "SessionSwitch",
    "SessionTree",
    "SubagentStart",
    "SubagentStop",
    "TodoReminder",
    "ToolCall",
    "ToolConfirmationRequested",
    "ToolResult",
    "TurnEnd",
    "TurnStart",
    "UserPromptSubmit",
]
