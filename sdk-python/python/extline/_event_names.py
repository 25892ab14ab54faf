"""The names of events, for checkers: nothing imports this when it runs.

Written from docs/protocol/specification.md by `make generate`, never by hand.
"""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypeAlias

#: The names of events that hosts are known to have.
EventName: TypeAlias = Literal[
    "session_start",
    "turn_start",
    "turn_end",
    "tool_call",
    "assistant_message",
    "session_end",
    "user_prompt_submit",
    "tool_result",
    "tool_confirmation_requested",
    "permission_decision",
    "pre_compact",
    "post_compact",
    "subagent_start",
    "subagent_stop",
    "config_changed",
    "session_switch",
    "session_branch",
    "session_tree",
    "agent_start",
    "agent_end",
    "message_start",
    "message_update",
    "message_end",
    "auto_retry_start",
    "auto_retry_end",
    "rule_triggered",
    "todo_reminder",
    "model_changed",
    "cwd_changed",
]
#: Those that are about a tool.
ToolEventName: TypeAlias = Literal[
    "tool_call",
    "tool_result",
    "tool_confirmation_requested",
    "permission_decision",
]
