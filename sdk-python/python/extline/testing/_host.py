"""The testing host as a test uses it."""

from __future__ import annotations

import os
import sys
from time import monotonic

from .._native import LATE_TEARDOWN, dumps, loads, report
from ._answers import Answer, CommandAnswer, MethodAnswer, Note, Ruling
from ._conversation import Conversation
from ._failure import Failure, Misuse
from ._guest import Guest
from ._native import HostSteps
from ._stand_ins import StandIns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from typing_extensions import Self

    from .._extension import Extension
    from .._response import Panel
    from ._transcript import Transcript

# A failure as pytest shows it ends with the test's own line.
__tracebackhide__ = True

# Seconds. Long enough for any handler that is going to finish, also on a busy machine.
DEADLINE = 5.0
_FAREWELL = 3.0
# What a host waits for, from its greeting to the ready of the extension (`ready.deadline`).
START_DEADLINE = 3.0
# What a handler has of it, of whatever kind: a real process ends then (`end.hard`).
_GRACE = 1.5
# For its thread, which a handler may keep, to end once the extension has said its last.
_LAST_STEP = 0.5


class Call:
    """A call that runs, made by ``host.begin``."""

    __slots__ = ("_number", "tool")

    def __init__(self, number: int, tool: str) -> None:
        self._number = number
        self.tool = tool


class Host:
    """Serves an extension, and talks to it as a host does: ``with Host(ext) as host: ...``.

    ``deadline`` is how many seconds each step may take before the test fails. ``start_deadline`` is
    how many seconds may pass from the host's greeting until the extension is ready. A real host waits
    for 3, and goes on without what is not registered by then.

    ``cwd``, ``data_dir``, ``extension_dir``, ``provider``, ``model``, ``session``, ``limits`` and
    ``capabilities`` are what the extension is told. ``profile`` is the host that this one is like:
    ``spec`` or ``zot-0.1.62``. ``tools`` are functions that the extension may call by
    ``ctx.call_tool``. A tool that is None never answers. ``methods`` are functions for
    ``ctx.request``, which take the params. ``answers`` are what a person says to dialogs:
    ``{"confirm": True, "select": "north"}``, or ``"headless"`` where nobody is there. A list has
    answers in their order, the last of them again and again. None closes the dialog. ``secrets`` are
    what ``ctx.secret`` and ``ctx.env`` give, by name; None is declared and not set.
    ``config`` is the configuration that the host gives; ``change_config`` gives another.
    ``state`` is what the extension
    has kept before, as ``{"session": {"n": 1}}``, or ``{}`` for nothing; where it is not given the host keeps nothing.
    With ``"slot_version": 1`` beside the scopes the values have that version. ``pending=True`` lets the extension
    propose actions by ``ctx.pending``. ``reject`` names registrations that the host does not
    take, as ``("tool", "weather")``.

    It is as strict as a host, and stricter where a host only logs. A handler of an event or panel
    that raises is a ``HandlerFailed``. A result that does not match the tool's ``output_schema`` is
    ``Unusable``. A tool or command that is not there is a ``Misuse``.

    One thread may use it. A host is used once, an extension as often as one likes.
    """

    def __init__(
        self,
        extension: Extension,
        *,
        deadline: float = DEADLINE,
        start_deadline: float = START_DEADLINE,
        cwd: str | os.PathLike[str] | None = None,
        data_dir: str | os.PathLike[str] | None = None,
        extension_dir: str | os.PathLike[str] | None = None,
        provider: str = "testing",
        model: str = "testing",
        session: str | None = None,
        limits: dict[str, int] | None = None,
        capabilities: Iterable[str] | None = None,
        profile: str = "spec",
        tools: dict[str, Callable[..., Any] | None] | None = None,
        methods: dict[str, Callable[..., Any]] | None = None,
        answers: dict[str, Any] | str | None = None,
        secrets: dict[str, str | None] | None = None,
        config: dict[str, Any] | None = None,
        state: dict[str, Any] | None = None,
        pending: bool = False,
        reject: Iterable[tuple[str, str]] = (),
    ) -> None:
        self._extension = extension
        self._stand_ins = StandIns(tools or {}, methods or {})
        self._conversation: Conversation | None = None
        options = {
            "deadline": deadline,
            "start_deadline": start_deadline,
            "wait_longer": "Host(ext, start_deadline=10)",
            "profile": profile,
            "version": _version(),
            "provider": provider,
            "model": model,
            "cwd": os.fspath(cwd if cwd is not None else os.getcwd()),
            "data_dir": None if data_dir is None else os.fspath(data_dir),
            "extension_dir": None if extension_dir is None else os.fspath(extension_dir),
            "session": None if session is None else {"id": session},
            "limits": limits,
            "capabilities": None if capabilities is None else list(capabilities),
            "methods": list(self._stand_ins.methods),
            "tools": {name: tool is not None for name, tool in self._stand_ins.tools.items()},
            "answers": answers,
            "secrets": secrets,
            "config": config,
            "state": state,
            "pending": pending,
            "reject": [list(one) for one in reject],
        }
        self._native = HostSteps(dumps(options))

    # Beginning and end.

    def start(self) -> Self:
        """Starts the extension and waits until it is ready; ``with`` does this."""
        if self._conversation is not None:
            raise Misuse("this host was started before: make another one")
        self._guest = Guest(self._extension, _place_of_test())
        self._conversation = Conversation(self._guest, self._native, self._stand_ins)
        try:
            self._talk.do("start")
        except BaseException:
            self.close()
            raise
        return self

    def shutdown(self) -> int:
        """Ends the extension as a host does; its exit code."""
        code: int = self._talk.do("shutdown")
        self._talk.do("check_handlers")
        return code

    def close(self) -> None:
        """Ends the extension if it has not ended, whatever state it is in; ``with`` does this.

        A handler that still runs has a second to answer, and half of one more to end. Then it is
        left behind, in its thread.
        """
        if self._conversation is None or self._guest.socket.fileno() < 0:
            return
        steps, guest = self._steps, self._guest
        if steps.ended is None:
            steps.deadline = _FAREWELL
            steps.forget_stand_ins()
            *_, is_calm = guest.progress()
            may_be_kept = not (steps.has_answered and is_calm)
            until = monotonic() + _GRACE
            try:
                self._talk.do("say_farewell")
                if guest.is_tearing_down:
                    self._talk.do("shutdown")
                if may_be_kept:
                    steps.deadline = max(_LAST_STEP, until - monotonic())
                self._talk.do("shutdown")
            except Failure as failure:
                text = str(failure).splitlines()[0]
                if guest.is_tearing_down and monotonic() >= until:
                    guest.failures.append(("teardown", LATE_TEARDOWN, None))
                    text = LATE_TEARDOWN
                elif steps.has_left and steps.ended is None:
                    text = "a handler did not end with its extension, and is left behind"
                report(f"testing: {text}")
        guest.leave()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if error is not None and not isinstance(error, Failure) and hasattr(error, "add_note"):
            error.add_note(self.transcript.tail())
        self.close()
        if error is None:
            self._talk.do("check_handlers")

    @property
    def deadline(self) -> float:
        """Seconds that each step may take."""
        return self._steps.deadline

    @deadline.setter
    def deadline(self, seconds: float) -> None:
        self._steps.deadline = seconds

    # Tools.

    def call(self, tool: str, args: dict[str, Any] | None = None, /, **more: Any) -> Answer:
        """Calls a tool and waits for its answer: ``host.call("weather", city="Berlin")``."""
        return Answer(**self._talk.do("call", tool, {**(args or {}), **more}))

    def call_with_key(
        self, operation_key: str, tool: str, args: dict[str, Any] | None = None, /, **more: Any
    ) -> Answer:
        """Calls a tool as an agent that would make the call again after a crash: with a key, which
        the tool finds in ``ctx.operation_key``."""
        return Answer(**self._talk.do("call_with_key", operation_key, tool, {**(args or {}), **more}))

    def reconcile(
        self, operation_key: str, tool: str, args: dict[str, Any] | None = None, /, **more: Any
    ) -> Answer:
        """Asks a tool with ``replay="reconcile"`` what became of the call of that key:
        ``host.reconcile("op-7", "pay", amount=3).value["state"]``."""
        return Answer(**self._talk.do("reconcile", operation_key, tool, {**(args or {}), **more}))

    def begin(self, tool: str, args: dict[str, Any] | None = None, /, **more: Any) -> Call:
        """Calls a tool; ``finish`` waits for its answer."""
        return Call(self._talk.do("begin", tool, {**(args or {}), **more}), tool)

    def next_update(self, call: Call) -> dict[str, Any]:
        """Waits for the next update of a call: its frame, with ``progress`` and ``content``."""
        update: dict[str, Any] = self._talk.do("next_update", call._number)
        return update

    def cancel(self, call: Call) -> None:
        """Tells the extension that the answer is not wanted any more; it answers all the same."""
        self._talk.do("cancel", call._number)

    def finish(self, call: Call) -> Answer:
        """Waits for the answer to a call."""
        return Answer(**self._talk.do("finish", call._number))

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The tools that the extension offers, as it registered them."""
        return self._known(self._steps.tools)

    # Commands, events, moments, methods.

    def command(self, name: str, args: str = "") -> CommandAnswer:
        """Runs a command with what a user typed behind it."""
        return CommandAnswer(self._talk.do("command", name, args))

    @property
    def commands(self) -> list[dict[str, Any]]:
        """The commands that the extension offers, as it registered them."""
        return self._known(self._steps.commands)

    def event(self, name: str, payload: dict[str, Any] | None = None, /, **more: Any) -> None:
        """Tells of an event, and waits until its handlers have ended."""
        self._talk.do("event", name, {**(payload or {}), **more})

    def change_config(self, config: dict[str, Any]) -> None:
        """Gives the extension another configuration, and waits until it has it and its handlers of
        ``config_changed`` have ended."""
        self._talk.do("change_config", config)

    @property
    def subscription(self) -> dict[str, Any]:
        """What the extension listens to: ``events``, ``intercept``, ``guards``."""
        subscription: dict[str, Any] = loads(self._steps.subscription)
        return subscription

    def intercept(self, point: str, payload: dict[str, Any] | None = None, /, **more: Any) -> Ruling:
        """Asks interceptors and then guards about what is about to happen:
        ``host.intercept("tool_call", tool="bash", args={"command": "ls"})``."""
        return Ruling(self._talk.do("intercept", point, {**(payload or {}), **more}))

    def request(self, method: str, params: Any = None) -> MethodAnswer:
        """Asks the extension by method."""
        given = () if params is None else (params,)
        return MethodAnswer(self._talk.do("request", method, *given))

    # Actions that it proposes.

    @property
    def pending(self) -> list[dict[str, Any]]:
        """The actions that are pending, each with ``id``, ``label``, ``summary`` and ``details``; the first is resolved
        next."""
        actions: list[dict[str, Any]] = self._talk.do("pending")
        return actions

    def resolve(self, action: str, reason: str = "") -> Answer:
        """Has the first of them done or dropped, as the model does: ``host.resolve("apply", "looks right")`` or
        ``"discard"``. Returns what the model reads; one that fails stays pending."""
        return Answer(**self._talk.do("resolve", action, reason))

    # Panels.

    def panel(self, id: str) -> Panel | None:
        """A panel as it is shown; None when it is not open."""
        return self._talk.panels.get(id)

    @property
    def panels(self) -> list[Panel]:
        """The panels that are open, the newest last."""
        return list(self._talk.panels.values())

    def key(self, panel: str, key: str) -> None:
        """Presses a key: its name (``up``, ``enter``), or one character."""
        self._talk.do("press_key", panel, key)

    def resize_panel(self, panel: str, width: int, height: int) -> None:
        """Gives it another size, in columns and lines."""
        self._talk.do("resize_panel", panel, width, height)

    def close_panel(self, panel: str) -> None:
        """Closes it, as a user does."""
        self._talk.do("close_panel", panel)

    # What it said unasked.

    @property
    def notes(self) -> list[Note]:
        """The notes that the user sees."""
        return self._talk.notes

    @property
    def logs(self) -> list[dict[str, Any]]:
        """What was logged: ``level``, ``message``, ``fields``."""
        return self._talk.told["logs"]

    @property
    def submitted(self) -> list[str]:
        """The prompts that were queued."""
        return self._talk.told["submitted"]

    @property
    def notices(self) -> list[str]:
        """What the host would complain about."""
        return self._talk.told["notices"]

    @property
    def state(self) -> dict[str, dict[str, Any]]:
        """What the extension keeps: the values of ``session``, ``project`` and ``global`` by their keys. Empty where
        the host was made without ``state``."""
        return loads(self._native.state()) or {}

    @property
    def transcript(self) -> Transcript:
        """Every frame, both ways."""
        return self._talk.transcript

    def settle(self) -> None:
        """Waits until the extension has handled every event and every panel's input."""
        self._talk.do("settle")

    def wait_until(self, what: str, holds: Callable[[Host], Any]) -> None:
        """Waits until something has come: ``host.wait_until("a note", lambda host: host.notes)``."""
        self._talk.do("wait_until", what, holds=lambda: holds(self))

    # How.

    @property
    def _talk(self) -> Conversation:
        if self._conversation is None:
            raise Misuse("this host was not started: `with Host(ext) as host:`")
        return self._conversation

    @property
    def _steps(self) -> HostSteps:
        return self._talk.steps

    def _known(self, frames: str) -> list[dict[str, Any]]:
        known: list[dict[str, Any]] = loads(frames)
        return known


def _place_of_test() -> str:
    """The line of the test that starts a host."""
    frame = sys._getframe(1)
    # A program that is run as a file has no package.
    while frame.f_back is not None and _is_ours(frame.f_globals.get("__package__") or ""):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def _is_ours(package: str) -> bool:
    return package == "extline" or package.startswith("extline.")


def _version() -> str:
    from .. import __version__

    return __version__
