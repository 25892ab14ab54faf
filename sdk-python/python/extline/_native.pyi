"""The native half of the package. Only `Context` is public, as `extline.Context`."""

from collections.abc import Awaitable, Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar, final

from ._host import Host
from ._panel import OpenPanel

__all__ = [
    "Context",
    "Question",
    "Registrations",
    "Session",
    "answer_command",
    "answer_intercept",
    "answer_request",
    "answer_tool",
    "begin",
    "call_tool",
    "cancel_tool",
    "claim_at_import",
    "context",
    "dumps",
    "end",
    "fail_command",
    "fail_intercept",
    "fail_request",
    "fail_tool",
    "fails_open",
    "forget",
    "forked",
    "guarding",
    "is_by_hand",
    "loads",
    "on_cancel",
    "report",
    "request",
    "show",
    "step_aside",
]

_T = TypeVar("_T")

@final
class Context:
    """The call that a handler serves, its host, and what can be said meanwhile."""

    @property
    def call_id(self) -> str:
        """The id of the call; empty for what has none: an event, a panel's input, setup, teardown."""
    @property
    def deadline(self) -> float | None:
        """When the host stops waiting, on the clock of `time.monotonic()`."""
    @property
    def session(self) -> tuple[str, int | None] | None:
        """The conversation, as `(id, generation)`."""
    @property
    def host(self) -> Host:
        """The host: `name`, `version`, `provider`, `model`, `cwd`, `supports(capability)`."""
    @property
    def extension_dir(self) -> Path | None:
        """Where the extension is."""
    @property
    def data_dir(self) -> Path | None:
        """Where the extension may keep data."""
    @property
    def cancelled(self) -> bool:
        """Whether the host no longer wants the answer."""
    def raise_if_cancelled(self) -> None:
        """Raises `Cancelled` when the host no longer wants the answer; it becomes the answer."""
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
    ) -> None:
        """Shows how the call stands; each replaces the one before. Never waits."""
    def track(
        self,
        items: Iterable[_T],
        message: str | None = None,
        *,
        unit: str | None = None,
        total: float | None = None,
    ) -> Iterator[_T]:
        """Goes through a loop and shows how far it is, as `3/10`."""
    def log(self, message: str, *, level: str = "info", **fields: Any) -> None:
        """Writes a line to the host's log, or to stderr where it keeps none."""
    def notify(self, message: str, *, level: str = "info") -> None:
        """Shows the user a note. `level` is `info`, `success`, `warn` or `error`."""
    def submit(self, text: str) -> None:
        """Queues a prompt for the model, or with a slash in front runs a command."""
    def call_tool(self, name: str, /, **args: Any) -> Any:
        """Calls another tool through the host; a `ToolOutput`. To be awaited in an `async` handler."""
    def request(self, method: str, params: Any = None, *, timeout: float | None = None) -> Any:
        """Asks the host for something by method. To be awaited in an `async` handler."""
    def panel(self, id: str) -> OpenPanel:
        """A panel of the extension by its id: `open`, `render`, `close`, `is_open`."""

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
        context: str | None = None,
        is_async: bool = False,
        is_generator: bool = False,
    ) -> list[str]: ...
    def command(self, frame: dict[str, Any]) -> None: ...
    def subscribe(self, kind: str, name: str) -> None: ...
    def on_failure(self, point: str, mode: str) -> None: ...

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
        setup: bool = False,
        teardown: bool = False,
        report: bool = False,
        max_threads: int = 32,
    ) -> Session: ...
    def serve(self) -> int: ...
    def inherit(self) -> None: ...
    def begin_loop(self) -> tuple[int, int, int]: ...
    def pump(self) -> tuple[bool, float | None, int | None]: ...
    def ready(self) -> None: ...
    def end(self, exit_code: int) -> bool: ...
    def supports(self, capability: str) -> bool: ...
    def register(self, frame: dict[str, Any]) -> None: ...
    def unregister_tool(self, name: str) -> None: ...
    def subscribe(self, kind: str, name: str) -> None: ...
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
class Question:
    def answer(self) -> tuple[Any, Any] | None: ...
    def cancel(self) -> None: ...

def claim_at_import(under_test: bool) -> bool: ...
def is_by_hand() -> bool: ...
def forked() -> None: ...
def loads(text: str) -> Any: ...
def dumps(value: Any) -> str: ...
def report(message: str) -> None: ...
def context(session: Session) -> Context: ...
def fails_open(context: Context, point: str) -> bool: ...
def on_cancel(context: Context, waiter: Callable[[], object]) -> None: ...
def forget(context: Context, waiter: Callable[[], object]) -> None: ...
def begin(context: Context) -> int: ...
def end(context: Context, number: int) -> None: ...
def step_aside(context: Context) -> None: ...
def answer_tool(context: Context, value: Any, name: str) -> None: ...
def fail_tool(context: Context, error: BaseException, name: str) -> None: ...
def cancel_tool(context: Context) -> None: ...
def show(context: Context, update: Any) -> None: ...
def answer_command(context: Context, frame: dict[str, Any]) -> None: ...
def fail_command(context: Context, message: str) -> None: ...
def answer_intercept(context: Context, frame: dict[str, Any]) -> None: ...
def fail_intercept(context: Context, reason: str) -> None: ...
def guarding(context: Context, name: str) -> None: ...
def answer_request(context: Context, result: Any) -> None: ...
def fail_request(context: Context, code: str, message: str) -> None: ...
def call_tool(
    context: Context, name: str, args: dict[str, Any], woken: Callable[[], object]
) -> Question: ...
def request(
    context: Context,
    method: str,
    params: Any,
    timeout: float | None,
    woken: Callable[[], object],
) -> Question: ...
