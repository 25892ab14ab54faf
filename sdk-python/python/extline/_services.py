"""What a host may serve by request, and an extension, as types for checkers: nothing imports this when it runs.

Written from protocol/services by `make generate`, never by hand.
"""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import NotRequired, TypeAlias, TypedDict


class AgentAbort(TypedDict):
    """What `agent.abort` is asked with."""

    reason: NotRequired[str]


class AgentAbortAnswer(TypedDict):
    """The answer to `agent.abort`."""

    calls: int


class AgentContextUse(TypedDict):
    """How full a conversation is."""

    tokens: int
    window: int


class AgentState(TypedDict):
    """What `agent.state` is asked with: nothing."""


class AgentStateAnswer(TypedDict):
    """The answer to `agent.state`."""

    auto_approve: NotRequired[bool]
    context: NotRequired[AgentContextUse | None]
    cwd: NotRequired[str]
    idle: bool
    mode: NotRequired[str | None]
    model: NotRequired[str]
    provider: NotRequired[str]
    queued: NotRequired[int]


class EnvGet(TypedDict):
    """What `env.get` is asked with."""

    name: str


class EnvGetAnswer(TypedDict):
    """The answer to `env.get`."""

    value: str


class ExecRun(TypedDict):
    """What `exec.run` is asked with."""

    args: NotRequired[list[str]]
    command: str
    cwd: NotRequired[str | None]
    env: NotRequired[dict[str, str | None]]
    max_bytes: NotRequired[int | None]
    stdin: NotRequired[str | None]
    stream: NotRequired[bool]
    timeout_ms: NotRequired[int | None]


class ExecRunAnswer(TypedDict):
    """The answer to `exec.run`: how the program ended. One that could not be started is an error."""

    code: NotRequired[int | None]
    signal: NotRequired[str | None]
    stderr: NotRequired[str]
    stdout: NotRequired[str]
    timed_out: NotRequired[bool]
    truncated: NotRequired[bool]


class ExecRunPart(TypedDict):
    """A part of the answer to `exec.run`: what the program has just written."""

    stream: ExecStream
    text: str


#: A stream of a program.
ExecStream: TypeAlias = Literal["stdout", "stderr"]


class LifecycleActivate(TypedDict):
    """What `lifecycle.activate` is asked with: nothing."""


class LifecycleActivateAnswer(TypedDict):
    """The answer to both: nothing. It comes when that is done."""


class LifecycleDeactivate(TypedDict):
    """What `lifecycle.deactivate` is asked with."""

    drain_ms: int


class LifecycleDeactivateAnswer(TypedDict):
    """The answer to both: nothing. It comes when that is done."""


class ModelsList(TypedDict):
    """What `models.list` is asked with: nothing."""


class ModelsListAnswer(TypedDict):
    """The answer to `models.list`. It has no keys and no addresses."""

    models: list[ModelsModel]


class ModelsModel(TypedDict):
    """A model."""

    context_window: NotRequired[int | None]
    current: NotRequired[bool]
    id: str
    name: NotRequired[str | None]
    provider: str


class PendingApply(TypedDict):
    """What `pending.apply` is asked with."""

    handle: str
    reason: str


class PendingApplyAnswer(TypedDict):
    """The answer to `pending.apply` and `pending.reject`: what the model is told, as the result of a tool."""

    content: NotRequired[list[Any]]
    details: NotRequired[Any]
    is_error: NotRequired[bool]
    structured_content: NotRequired[Any]


class PendingPush(TypedDict):
    """What `pending.push` is asked with."""

    details: NotRequired[Any]
    handle: str
    label: str
    summary: NotRequired[str | None]


class PendingPushAnswer(TypedDict):
    """The answer to `pending.push`."""

    action_id: str


class PendingReject(TypedDict):
    """What `pending.reject` is asked with."""

    handle: str
    reason: str
    released: NotRequired[bool]


class PendingRejectAnswer(TypedDict):
    """The answer to `pending.apply` and `pending.reject`: what the model is told, as the result of a tool."""

    content: NotRequired[list[Any]]
    details: NotRequired[Any]
    is_error: NotRequired[bool]
    structured_content: NotRequired[Any]


class SecretExists(TypedDict):
    """What `secret.exists` is asked with."""

    name: str


class SecretExistsAnswer(TypedDict):
    """The answer to `secret.exists`."""

    exists: bool
    source: NotRequired[SecretSource | None]


class SecretGet(TypedDict):
    """What `secret.get` is asked with."""

    name: str
    purpose: NotRequired[str | None]


class SecretGetAnswer(TypedDict):
    """The answer to `secret.get`."""

    value: str


#: Where a host has the value of a secret from.
SecretSource: TypeAlias = Literal["agent", "environment", "keyring", "file"]


class SessionAppend(TypedDict):
    """What `session.append` is asked with."""

    data: Any
    type: str


class SessionAppendAnswer(TypedDict):
    """The answer to `session.append`."""

    id: str


class SessionBranch(TypedDict):
    """What `session.branch` is asked with."""

    after: NotRequired[str | None]
    limit: NotRequired[int | None]
    types: NotRequired[list[str] | None]


class SessionBranchAnswer(TypedDict):
    """The answer to `session.branch`: a page of entries, the oldest first."""

    entries: list[SessionSessionEntry]
    leaf: NotRequired[str | None]
    next: NotRequired[str | None]


class SessionInfo(TypedDict):
    """What `session.info` is asked with: nothing."""


class SessionInfoAnswer(TypedDict):
    """The answer to `session.info`."""

    durable: bool
    id: NotRequired[str | None]
    leaf: NotRequired[str | None]
    parent: NotRequired[str | None]
    project: str


class SessionSessionEntry(TypedDict):
    """An entry of the history."""

    at_ms: int
    data: Any
    id: str
    type: str


class StateDelete(TypedDict):
    """What `state.delete` is asked with."""

    key: str
    revision: NotRequired[int | None]
    scope: StateScope
    slot_version: NotRequired[int | None]


class StateDeleteAnswer(TypedDict):
    """The answer to `state.delete`."""

    deleted: bool


class StateGet(TypedDict):
    """What `state.get` is asked with."""

    key: str
    scope: StateScope
    slot_version: NotRequired[int | None]


class StateGetAnswer(TypedDict):
    """The answer to `state.get`."""

    revision: int
    slot_version: int
    value: NotRequired[Any]


class StateKey(TypedDict):
    """A key that has a value."""

    bytes: int
    key: str
    revision: int


class StateList(TypedDict):
    """What `state.list` is asked with."""

    after: NotRequired[str | None]
    limit: NotRequired[int | None]
    prefix: NotRequired[str | None]
    scope: StateScope
    slot_version: NotRequired[int | None]


class StateListAnswer(TypedDict):
    """The answer to `state.list`: a page of keys, by their bytes."""

    bytes: int
    keys: list[StateKey]
    next: NotRequired[str | None]


#: What `state.migrate` is asked with.
StateMigrate = TypedDict("StateMigrate", {
    "data": "dict[str, Any]",
    "from": "int",
    "more": "NotRequired[bool]",
    "scope": "StateScope",
    "to": "int",
})


class StateMigrateAnswer(TypedDict):
    """The answer to `state.migrate`."""

    data: dict[str, Any]


#: For how long a value is kept, and who shares it.
StateScope: TypeAlias = Literal["session", "project", "global"]


class StateSet(TypedDict):
    """What `state.set` is asked with."""

    key: str
    revision: NotRequired[int | None]
    scope: StateScope
    slot_version: NotRequired[int | None]
    value: Any


class StateSetAnswer(TypedDict):
    """The answer to `state.set`."""

    revision: int


class ToolApproval(TypedDict):
    """What `tool.approval` is asked with."""

    args: dict[str, Any]
    tool: str


class ToolApprovalAnswer(TypedDict):
    """The answer to `tool.approval`. What it does not say stands as the tool declares it."""

    details: NotRequired[list[str]]
    key: NotRequired[str | None]
    policy: NotRequired[ToolPolicy]
    reason: NotRequired[str | None]
    tier: NotRequired[ToolTier | None]


#: Whether a call needs an approval.
ToolPolicy: TypeAlias = Literal["allow", "deny", "prompt"]


#: How much a call can do.
ToolTier: TypeAlias = Literal["read", "write", "exec"]


class ToolsActivate(TypedDict):
    """What `tools.activate` and `tools.deactivate` are asked with."""

    names: list[str]


class ToolsActivateAnswer(TypedDict):
    """The answer to `tools.activate` and `tools.deactivate`."""

    changed: list[str]


class ToolsDeactivate(TypedDict):
    """What `tools.activate` and `tools.deactivate` are asked with."""

    names: list[str]


class ToolsDeactivateAnswer(TypedDict):
    """The answer to `tools.activate` and `tools.deactivate`."""

    changed: list[str]


class ToolsList(TypedDict):
    """What `tools.list` is asked with: nothing."""


class ToolsListAnswer(TypedDict):
    """The answer to `tools.list`."""

    tools: list[ToolsListedTool]


class ToolsListedTool(TypedDict):
    """A tool of the agent's or of an extension."""

    active: bool
    description: NotRequired[str]
    extension: NotRequired[str | None]
    name: str


class UiAsk(TypedDict):
    """What `ui.ask` is asked with."""

    questions: list[UiQuestion]
    timeout_ms: NotRequired[int | None]


class UiAskAnswer(TypedDict, total=False):
    """What a dialog is answered with."""

    answers: dict[str, list[str]]
    dismissed: UiDismissal


class UiAuth(TypedDict):
    """What `ui.auth` is asked with."""

    code: NotRequired[str | None]
    message: NotRequired[str | None]
    timeout_ms: NotRequired[int | None]
    url: str


class UiAuthAnswer(TypedDict, total=False):
    """What a dialog is answered with."""

    confirmed: bool
    dismissed: UiDismissal


#: An option of `ui.select`.
UiChoice: TypeAlias = "str | UiChoiceObject"


class UiChoiceObject(TypedDict):
    """It is shown with more."""

    description: NotRequired[str | None]
    label: str
    value: NotRequired[str | None]


class UiConfirm(TypedDict):
    """What `ui.confirm` is asked with."""

    message: NotRequired[str | None]
    timeout_ms: NotRequired[int | None]
    title: str


class UiConfirmAnswer(TypedDict, total=False):
    """What a dialog is answered with."""

    confirmed: bool
    dismissed: UiDismissal


#: Why a dialog was closed without an answer.
UiDismissal: TypeAlias = Literal["user", "timeout", "cancelled", "headless"]


class UiEditor(TypedDict):
    """What `ui.editor` is asked with."""

    prefill: NotRequired[str | None]
    timeout_ms: NotRequired[int | None]
    title: str


class UiEditorAnswer(TypedDict, total=False):
    """What a dialog is answered with."""

    dismissed: UiDismissal
    value: str


class UiInput(TypedDict):
    """What `ui.input` is asked with."""

    placeholder: NotRequired[str | None]
    secret: NotRequired[bool]
    timeout_ms: NotRequired[int | None]
    title: str


class UiInputAnswer(TypedDict, total=False):
    """What a dialog is answered with."""

    dismissed: UiDismissal
    value: str


#: Where a widget stands.
UiPlacement: TypeAlias = Literal["above", "below"]


class UiQuestion(TypedDict):
    """One question of `ui.ask`."""

    id: str
    multi: NotRequired[bool]
    options: NotRequired[list[UiChoice]]
    question: str
    recommended: NotRequired[str | None]


class UiSelect(TypedDict):
    """What `ui.select` is asked with."""

    initial: NotRequired[str | None]
    multi: NotRequired[bool]
    options: list[UiChoice]
    timeout_ms: NotRequired[int | None]
    title: str


class UiSelectAnswer(TypedDict, total=False):
    """What a dialog is answered with."""

    dismissed: UiDismissal
    value: str
    values: list[str]


class UiStatus(TypedDict):
    """What `ui.status` is asked with."""

    key: str
    text: str | None


class UiStatusAnswer(TypedDict):
    """The answer to what is only shown: that it was taken."""


class UiTitle(TypedDict):
    """What `ui.title` is asked with."""

    title: str | None


class UiTitleAnswer(TypedDict):
    """The answer to what is only shown: that it was taken."""


class UiWidget(TypedDict):
    """What `ui.widget` is asked with."""

    key: str
    lines: list[str] | None
    placement: NotRequired[UiPlacement]
    view: NotRequired[View | None]


class UiWidgetAnswer(TypedDict):
    """The answer to what is only shown: that it was taken."""


class UiWorking(TypedDict):
    """What `ui.working` is asked with."""

    text: str | None


class UiWorkingAnswer(TypedDict):
    """The answer to what is only shown: that it was taken."""


class View(TypedDict, total=False):
    """What is shown, and how."""

    columns: list[str]
    kind: Literal["table"] | Literal["diff"] | Literal["markdown"] | Literal["lines"] | Literal["keyvalue"] | Literal["meter"]
    lines: list[ViewLine]
    max: float
    pairs: list[ViewPair]
    rows: list[list[ViewCell]]
    text: str
    title: str | None
    unit: str | None
    value: float


#: A value in a table, or behind a name.
ViewCell: TypeAlias = "str | float | bool | ViewCellObject | None"


class ViewCellObject(TypedDict):
    """A text in a style."""

    style: NotRequired[list[ViewStyle]]
    text: str


#: A line: a piece of text, or several beside each other.
ViewLine: TypeAlias = "str | ViewLineObject | list[ViewSpan]"


class ViewLineObject(TypedDict):
    """A text in a style."""

    style: NotRequired[list[ViewStyle]]
    text: str


class ViewPair(TypedDict):
    """A name with its value."""

    key: str
    value: ViewCell


#: A piece of text in one style.
ViewSpan: TypeAlias = "str | ViewSpanObject"


class ViewSpanObject(TypedDict):
    """A text in a style."""

    style: NotRequired[list[ViewStyle]]
    text: str


#: How text looks. What it is in colours is the host's.
ViewStyle: TypeAlias = Literal["accent", "success", "error", "warning", "muted", "dim", "title", "bold", "italic", "strike"]
