"""The native half of the package. Only `Context` is public, as `extline.Context`."""

import sys
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, Literal, TypeVar, final

from ._agent import Agent
from ._handler import Handler
from ._host import Host
from ._panel import OpenPanel
from ._pending import Pending
from ._services import View
from ._state import History, State
from ._ui import Ui

__all__ = [
    "ERROR_KINDS",
    "LATE_TEARDOWN",
    "AtTheAuthorsLine",
    "Context",
    "InterceptChain",
    "Question",
    "RawJson",
    "Registrations",
    "Session",
    "answer_command",
    "answer_approval",
    "answer_request",
    "answer_tool",
    "asks_for_mcp",
    "begin",
    "call_tool",
    "cancel_tool",
    "claim_at_import",
    "context",
    "dumps",
    "elsewhere",
    "end",
    "enter",
    "fail_command",
    "fail_intercept",
    "fail_request",
    "fail_tool",
    "fits_tools",
    "forget",
    "forked",
    "leave",
    "loads",
    "on_cancel",
    "report",
    "request",
    "send_part",
    "show",
    "step_aside",
    "tries_again",
]

_T = TypeVar("_T")

ERROR_KINDS: list[str]
LATE_TEARDOWN: str

@final
class Context:
    """The call that a handler serves, its host, and what can be said meanwhile.

    Any handler may take it, as ``ctx`` or by the annotation ``Context``. It may be used from any
    thread. When the handler has ended, `update`, `call_tool` and `request` raise `RuntimeError`. When
    the session has ended, and in the child of a fork, every method that says something does.
    """

    @property
    def call_id(self) -> str:
        """The id of the call; empty for what has none: an event, a panel's input, setup, teardown."""
    @property
    def raw_args(self) -> RawJson | None:
        """The arguments of a tool's call as they were written; None elsewhere."""
    @property
    def deadline(self) -> float | None:
        """When the host stops waiting, in seconds on the clock of `time.monotonic()`; None where it
        waits without an end, or does not say. It moves while a person is asked on behalf of the call, so
        read it again afterwards."""
    @property
    def operation_key(self) -> str | None:
        """Names what a tool's call does, where the agent would make it again after a crash: then with the
        same key. None elsewhere."""
    @property
    def reconcile(self) -> bool:
        """Whether the agent only asks what became of the call of that key, of a tool with
        `replay="reconcile"`: do nothing, and return `{"state": "completed"}`, `"not_started"` or
        `"unknown"`."""
    @property
    def session(self) -> tuple[str, int | None] | None:
        """The conversation, as `(id, generation)`; None where the host does not say it. The id stays
        the same when a conversation is taken up again, the generation grows."""
    @property
    def host(self) -> Host:
        """The host: `name`, `version`, `provider`, `model`, `cwd`, `supports(capability)`."""
    @property
    def config(self) -> Any:
        """The configuration as it is now: of the class that `ext.config` was given, else a dict."""
    @property
    def ui(self) -> Ui:
        """Asks the person in front of the agent: `confirm`, `select`, `input`."""
    @property
    def state(self) -> State:
        """What the extension keeps with its host: `session`, `project` and `global_`, each like a dict."""
    @property
    def agent(self) -> Agent:
        """The agent: `state`, `abort`, `tools`, `activate`, `deactivate`, `models`."""
    @property
    def pending(self) -> Pending:
        """Proposes what is done only when the model, or a person, says so: `push`."""
    @property
    def history(self) -> History:
        """The history of the conversation: `append`, `branch`, `info`."""
    @property
    def extension_dir(self) -> Path | None:
        """Where the extension is; None where the host does not say it."""
    @property
    def data_dir(self) -> Path | None:
        """Where the extension may keep data; None where the host does not say it."""
    @property
    def cancelled(self) -> bool:
        """Whether the host no longer wants the answer: the user pressed Esc, or the session ends."""
    def raise_if_cancelled(self) -> None:
        """Raises `Cancelled` when the host no longer wants the answer; it becomes the answer. In an
        `async` handler a cancel is asyncio's own, raised by the next `await`."""
    def sleep(self, seconds: float) -> Awaitable[None]:
        """Waits so many seconds; ends with `Cancelled` as soon as the call is cancelled. In an
        `async` handler it is to be awaited."""
    def update(
        self,
        message: str | None = None,
        *,
        done: float | None = None,
        total: float | None = None,
        unit: str | None = None,
        text: str | None = None,
        details: Any = None,
        view: View | None = None,
    ) -> None:
        """Shows how the call stands; each replaces the one before. Never waits, and does nothing
        where the host does not show it.

        `message` is one line for the user, `done` of `total` in `unit` how far it is, `text` what
        there is of the answer so far, `details` any JSON value, `view` how a person is shown the answer so
        far. Of several within 50 ms the last is sent."""
    def track(
        self,
        items: Iterable[_T],
        message: str | None = None,
        *,
        unit: str | None = None,
        total: float | None = None,
    ) -> Iterator[_T]:
        """Goes through a loop and shows how far it is, as `3/10`; ends with `Cancelled` when the call
        is cancelled. `total` is the number of items, where `len(items)` does not say it."""
    def log(
        self, message: str, *, level: Literal["debug", "info", "warn", "error"] = "info", **fields: Any
    ) -> None:
        """Writes a line to the host's log, or to stderr where it keeps none. The level is `debug`,
        `info`, `warn` or `error`; `fields` are JSON values."""
    def notify(
        self, message: str, *, level: Literal["info", "success", "warn", "error"] = "info"
    ) -> None:
        """Shows the user a note. `level` is `info`, `success`, `warn` or `error`."""
    def submit(self, text: str) -> None:
        """Queues a prompt for the model, or with a slash in front runs a command."""
    def call_tool(self, name: str, /, **args: Any) -> Any:
        """Calls another tool through the host, its guards and approvals: `ctx.call_tool("bash",
        command="ls")`. Returns a `ToolOutput`; to be awaited in an `async` handler.

        Raises `ToolError`: what the tool answered, or of kind `unsupported` where the host does not
        let extensions call tools, and `cancelled`."""
    def request(
        self,
        method: str,
        params: Any = None,
        *,
        timeout: float | None = None,
        on_part: Callable[[Any], object] | None = None,
    ) -> Any:
        """Asks the host for something by method, with any JSON value; returns what it answers. To be
        awaited in an `async` handler.

        `timeout` is in seconds, unsaid there is none. `on_part` is called with each part of an
        answer that comes in parts, before the result is returned; in an `async` handler it may be
        `async` itself. What it raises ends the request.

        Raises `ToolError` with the kind that the host answered, or `unsupported` where it does not
        serve the method, `timeout`, `too_large`, `cancelled`."""
    def exec(
        self,
        command: str,
        args: Iterable[str] | None = None,
        *,
        cwd: str | PathLike[str] | None = None,
        env: Mapping[str, str | None] | None = None,
        stdin: str | None = None,
        timeout: float | None = None,
        max_bytes: int | None = None,
        on_output: Callable[[str, str], object] | None = None,
    ) -> Any:
        """Has the host run a program, without a shell, and returns how it ended and what it wrote, as a `Ran`. To be
        awaited in an `async` handler. The person in front of the agent is asked first, unless they allow it; the
        program ends with the handler's call.

        `cwd` is a folder from the project's, which it is where that is unsaid. `env` has variables beside those of the
        extension, None takes one away. `timeout` is in seconds: a program whose time is over is ended, and
        `timed_out`. `max_bytes` is how much is kept of each stream, 262,144 at most. `on_output` is called with each
        text that it writes, and with `"stdout"` or `"stderr"`, while it runs.

        Raises `ToolError`: `permission` where it may not run, `not_found` where the program or its folder is not
        there, `unsupported` where the host runs no programs, which `ctx.host.serves("exec.run")` tells before."""
    def secret(self, name: str, purpose: str | None = None) -> Any:
        """A key or a token that `permissions.secrets` of the extension's `extension.json` declares, as a `Secret`:
        `ctx.secret("OPENWEATHER_KEY").reveal()`. To be awaited in an `async` handler. `purpose` says in a few words
        what it is for. Under a host that keeps no secrets it is the environment variable of that name.

        Raises `ToolError` of kind `not_found` where it is not set, with a text that says what sets it, and
        `permission` where it is not declared."""
    def env(self, name: str) -> Any:
        """An environment variable that `permissions.env` of the extension's `extension.json` declares, as it is where
        the agent was started. Else as `secret`, with a `str`."""
    def send_part(self, part: Any) -> Any:
        """Sends a part of a method's answer before the answer, any JSON value; waits while the host does
        not read. To be awaited in an `async` handler. What a method's generator yields is sent so.

        Raises `ToolError` of kind `unsupported` elsewhere than in a method, `too_large`, `stale`,
        `cancelled`."""
    def panel(self, id: str) -> OpenPanel:
        """A panel of the extension by its id: `open`, `render`, `close`, `is_open`."""

@final
class RawJson:
    """A JSON value as text, which goes over the wire as it stands: every digit, key and escape.

    A tool may return one, also inside of other values. Raises `ValueError` for what is no JSON.
    """

    def __new__(cls, text: str) -> RawJson: ...
    @property
    def text(self) -> str:
        """The text."""
    def load(self) -> Any:
        """The value in Python's own types."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class AtTheAuthorsLine:
    def __new__(cls, define: Callable[..., Any]) -> AtTheAuthorsLine: ...
    def __call__(self, *args: Any, **options: Any) -> Any: ...
    def __get__(self, object: Any, kind: Any = ..., /) -> Any: ...
    @property
    def __wrapped__(self) -> Callable[..., Any]: ...

@final
class Registrations:
    def __new__(cls) -> Registrations: ...
    def tool(
        self,
        frame: dict[str, Any],
        function: Callable[..., Any],
        *,
        bind: Callable[[dict[str, Any]], dict[str, Any]] | None = None,
        plain: bool = False,
        makes_objects: bool = False,
        context: str | None = None,
        is_async: bool = False,
        is_generator: bool = False,
    ) -> list[str]: ...
    def remove_tool(self, name: str) -> None: ...
    def copy(self) -> Registrations: ...
    def command(self, frame: dict[str, Any]) -> None: ...
    def listen(self, name: str, tools: list[str] | None = None) -> None: ...
    def subscribe(self, kind: str, name: str) -> None: ...
    def on_failure(self, point: str, mode: str) -> None: ...
    def require(self, kind: str, name: str) -> None: ...
    def is_tried(
        self, name: str, version: str, program: str, first_argument: str | None = None
    ) -> bool: ...

@final
class Session:
    def __new__(
        cls,
        registrations: Registrations,
        serving: object,
        *,
        name: str,
        version: str,
        methods: list[str] = ...,
        state_version: int | None = None,
        setup: bool = False,
        teardown: bool = False,
        max_threads: int = 32,
        over: tuple[int, int] | None = None,
        mcp: bool = False,
    ) -> Session: ...
    def progress(self) -> tuple[int, int, bool, bool]: ...
    def serve(self) -> int: ...
    def go_on(self) -> None: ...
    def begin_loop(
        self, create_task: Callable[..., object], run_tool: Callable[..., object]
    ) -> tuple[int, int, int]: ...
    if sys.platform == "win32":
        def ring_at(self, socket: int) -> None: ...

    def pump(self, is_rung: bool) -> tuple[bool, bool, float | None, int | None, bool]: ...
    def end_turn(self) -> None: ...
    def ready(self) -> None: ...
    def end(self, exit_code: int) -> bool: ...
    def setup_exit_code(self, is_cancelled: bool) -> int: ...
    def supports(self, capability: str) -> bool: ...
    def config(self) -> str | None: ...
    @property
    def registrations(self) -> Registrations: ...
    def notify(self, message: str, level: str) -> None: ...
    def log(self, message: str, level: str, fields: dict[str, Any] | None = None) -> None: ...
    def submit(self, text: str) -> None: ...
    def clear_notes(self) -> None: ...
    def panel(self, frame: dict[str, Any]) -> bool: ...
    def close_panel(self, id: str) -> None: ...
    def panel_is_open(self, id: str) -> bool: ...
    def event_done(self) -> None: ...
    def panel_done(self, id: str) -> None: ...
    def teardown_done(self) -> None: ...

@final
class InterceptChain:
    def next(self) -> tuple[Handler, bool] | None: ...
    def frame(self) -> dict[str, Any] | None: ...
    def decided(self, fields: dict[str, Any]) -> None: ...
    def failed(self, why: str) -> None: ...

@final
class Question:
    def take(self) -> tuple[bool, Any] | None: ...
    def cancel(self) -> None: ...

def claim_at_import(under_test: bool) -> bool: ...
def asks_for_mcp(first_argument: str | None = None) -> bool: ...
def forked() -> None: ...
def fits_tools(tools: list[str], tool: str | None) -> bool: ...
def loads(text: str) -> Any: ...
def dumps(value: Any) -> str: ...
def report(message: str) -> None: ...
def context(session: Session) -> Context: ...
def on_cancel(context: Context, waiter: Callable[[], object]) -> None: ...
def forget(context: Context, waiter: Callable[[], object]) -> None: ...
def begin(context: Context) -> int: ...
def end(context: Context, number: int) -> None: ...
def enter(context: Context) -> None: ...
def leave() -> None: ...
def step_aside(context: Context) -> None: ...
def answer_tool(context: Context, value: Any) -> None: ...
def fail_tool(context: Context, error: BaseException) -> None: ...
def cancel_tool(context: Context) -> None: ...
def show(context: Context, update: Any) -> None: ...
def answer_command(context: Context, frame: dict[str, Any]) -> None: ...
def fail_command(context: Context, message: str) -> None: ...
def fail_intercept(context: Context, reason: str) -> None: ...
def answer_approval(context: Context, returned: Any) -> None: ...
def answer_request(context: Context, result: Any) -> None: ...
def fail_request(context: Context, code: str, message: str) -> None: ...
def send_part(context: Context, part: Any) -> bool: ...
def call_tool(
    context: Context,
    name: str,
    args: dict[str, Any],
    interrupts: bool,
    woken: Callable[[], object],
) -> Question: ...
def elsewhere(context: Context, method: str, name: str) -> Any: ...
def tries_again(kind: str, tried: int) -> bool: ...
def request(
    context: Context,
    method: str,
    params: Any,
    timeout: float | None,
    wants_parts: bool,
    interrupts: bool,
    woken: Callable[[], object],
) -> Question: ...
