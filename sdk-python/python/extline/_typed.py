"""What handlers look like to a type checker. Nothing of it is loaded when an extension runs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Literal, Protocol, TypeAlias, TypedDict, TypeVar, Union

from ._event_names import EventName as EventName, ToolEventName as ToolEventName
from ._moment import (
    AgentStart,
    Decision,
    GuardedToolUse,
    Message,
    ModelCall,
    Moment,
    RewritableToolUse,
    ToolAnswer,
    UserPrompt,
)
from ._native import Context
from ._response import Response
from ._services import ToolApprovalAnswer, View

Exposure: TypeAlias = Literal["direct", "codemode", "deferred", "model-only"]
Replay: TypeAlias = Literal["never", "safe", "idempotent", "reconcile"]
OnFailure: TypeAlias = Literal["allow", "block"]
OutputFormat: TypeAlias = Literal["labeled", "json"]


class Approval(TypedDict, total=False):
    """When a user is asked before a call."""

    gated: bool
    tier: Literal["read", "write", "exec"]
    key: str
    reason: str


class Preference(TypedDict, total=False):
    """What a tool proposes to whoever chooses the tools of a turn."""

    enabled: bool
    weight: float
    parameters: dict[str, Any]
    reason: str


#: What a function given as ``gated`` returns: whether a call needs an approval, or more about it.
# A literal in a lambda is no TypedDict to a checker; what it holds is checked when it is returned.
Advised: TypeAlias = Union[bool, ToolApprovalAnswer, dict[str, Any]]
_Advised: TypeAlias = Union[Advised, Awaitable[Advised]]
Gated: TypeAlias = Union[
    bool, Callable[[dict[str, Any]], _Advised], Callable[[dict[str, Any], Context], _Advised]
]


class ToolOptions(TypedDict, total=False):
    """What ``ext.tool`` takes by name."""

    name: str | None
    description: str | None
    schema: dict[str, Any] | None
    output_schema: dict[str, Any] | Literal[False] | None
    label: str | None
    timeout: float | None
    interactive: bool
    sequential: bool
    pure: bool
    replay: Replay | None
    strict: bool
    read_only: bool | None
    destructive: bool | None
    idempotent: bool | None
    open_world: bool | None
    gated: Gated
    approval: Approval | None
    exposure: Exposure | None
    namespace: str | None
    call_view: View | None
    outputs: Sequence[OutputFormat] | None
    preference: Preference | None
    required: bool


_M = TypeVar("_M", bound=Moment, contravariant=True)
_Decided: TypeAlias = Union[Decision, None, Awaitable[Union[Decision, None]]]
_Nothing: TypeAlias = Union[None, Awaitable[None]]
_Answered: TypeAlias = Union[Response, str, None, Awaitable[Union[Response, str, None]]]


class _WithContext(Protocol[_M]):
    """One that takes the context by its name alone."""

    def __call__(self, moment: _M, /, *, ctx: Context) -> _Decided: ...


# What a configuration is made of.
M = TypeVar("M")
F = TypeVar("F", bound=Callable[..., Any])
# Of a command.
C = TypeVar("C", bound=Callable[..., _Answered])
# Of an event, a panel, setup or teardown, which return nothing.
N = TypeVar("N", bound=Callable[..., _Nothing])
# Of a guard, and of an interceptor of each point.
G = TypeVar(
    "G",
    bound=Union[
        Callable[[], _Decided],
        Callable[[GuardedToolUse], _Decided],
        Callable[[GuardedToolUse, Context], _Decided],
        _WithContext[GuardedToolUse],
    ],
)
OfToolCall = TypeVar(
    "OfToolCall",
    bound=Union[
        Callable[[], _Decided],
        Callable[[RewritableToolUse], _Decided],
        Callable[[RewritableToolUse, Context], _Decided],
        _WithContext[RewritableToolUse],
    ],
)
OfTurnStart = TypeVar(
    "OfTurnStart",
    bound=Union[
        Callable[[], _Decided],
        Callable[[ModelCall], _Decided],
        Callable[[ModelCall, Context], _Decided],
        _WithContext[ModelCall],
    ],
)
OfMessage = TypeVar(
    "OfMessage",
    bound=Union[
        Callable[[], _Decided],
        Callable[[Message], _Decided],
        Callable[[Message, Context], _Decided],
        _WithContext[Message],
    ],
)
OfAgentStart = TypeVar(
    "OfAgentStart",
    bound=Union[
        Callable[[], _Decided],
        Callable[[AgentStart], _Decided],
        Callable[[AgentStart, Context], _Decided],
        _WithContext[AgentStart],
    ],
)
OfToolResult = TypeVar(
    "OfToolResult",
    bound=Union[
        Callable[[], _Decided],
        Callable[[ToolAnswer], _Decided],
        Callable[[ToolAnswer, Context], _Decided],
        _WithContext[ToolAnswer],
    ],
)
OfUserPrompt = TypeVar(
    "OfUserPrompt",
    bound=Union[
        Callable[[], _Decided],
        Callable[[UserPrompt], _Decided],
        Callable[[UserPrompt, Context], _Decided],
        _WithContext[UserPrompt],
    ],
)
