"""The testing host as a test uses it."""

from __future__ import annotations

import os
import sys
from functools import partial
from time import monotonic

from .._native import dumps, report
from .._serving import LATE_TEARDOWN
from ._answers import Answer, CommandAnswer, MethodAnswer, Note, Ruling
from ._conversation import Conversation
from ._failure import Failure, HandlerFailed, Misuse, TimedOut, Unusable
from ._guest import Guest
from ._native import HostSession, output_problem
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
# How often there is a look at what no frame tells of.
_LOOK = 0.02
# What a handler has of it, of whatever kind: a real process ends then (`end.hard`).
_GRACE = 1.5
# For its thread, which a handler may keep, to end once the extension has said its last.
_LAST_STEP = 0.5


class Call:
    """A call that runs, made by ``host.begin``."""

    __slots__ = ("_serial", "_shown", "tool")

    def __init__(self, serial: int, tool: str) -> None:
        self._serial = serial
        self._shown = 0
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
    ``ctx.request``, which take the params. ``reject`` names registrations that the host does not
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
        reject: Iterable[tuple[str, str]] = (),
    ) -> None:
        self._extension = extension
        self._deadline = deadline
        self._start_deadline = start_deadline
        self._stand_ins = StandIns(tools or {}, methods or {})
        self._unwanted = set(reject)
        self._model = (provider, model)
        self._proposals = 0
        self._conversation: Conversation | None = None
        ack = {
            "type": "hello_ack",
            "protocol_version": 1,
            "capabilities": None if capabilities is None else list(capabilities),
            "provider": provider,
            "model": model,
            "cwd": os.fspath(cwd if cwd is not None else os.getcwd()),
            "host": {"name": "extline testing", "version": _version()},
            "limits": limits,
            "data_dir": None if data_dir is None else os.fspath(data_dir),
            "extension_dir": None if extension_dir is None else os.fspath(extension_dir),
            "session": None if session is None else {"id": session},
            "methods": list(self._stand_ins.methods) or None,
        }
        ack = {name: value for name, value in ack.items() if value is not None}
        self._session = HostSession(dumps(ack), profile)

    # Beginning and end.

    def start(self) -> Self:
        """Starts the extension and waits until it is ready; ``with`` does this."""
        if self._conversation is not None:
            raise Misuse("this host was started before: make another one")
        self._guest = Guest(self._extension, _place_of_test())
        talk = Conversation(
            self._guest,
            self._session,
            self._stand_ins,
            self._unwanted,
            max(self._deadline, DEADLINE),
        )
        self._conversation = talk
        try:
            what = "the extension did not become ready"
            talk.wait_for(what, lambda: talk.seen.hello or None)
            # As a host, which counts from here: it has greeted.
            talk.deadline = self._start_deadline
            try:
                talk.wait_for(what, lambda: talk.seen.is_ready or None)
            except TimedOut as failure:
                raise TimedOut(
                    f"{what} within {self._start_deadline:g} s, and a host goes on without what is "
                    "not registered by then: let setup take less, or write "
                    f"Host(ext, start_deadline=10)\n{talk.transcript.tail()}"
                ) from failure
            talk.deadline = max(self._deadline, DEADLINE)
            talk.settle(what)
        except BaseException:
            self.close()
            raise
        talk.deadline = self._deadline
        return self

    def shutdown(self) -> int:
        """Ends the extension as a host does; its exit code."""
        talk = self._talk
        talk.end_input()
        began = monotonic()
        look = partial(self._ended_or_late, began)
        talk.wait_for("the extension did not end", look, _LOOK)
        code = self._wait_for_end(talk)
        self._refuse_failures()
        return code

    def _ended_or_late(self, began: float) -> str | None:
        """How it ended; None as long as it goes on. Raises once a teardown has had its time."""
        ended = self._talk.ended
        if ended is None and self._guest.is_tearing_down and monotonic() - began > _GRACE:
            raise TimedOut(LATE_TEARDOWN)
        return ended

    def _refuse_failures(self) -> None:
        """Raises for what failed where nobody waited for it, once."""
        failures, self._guest.failures[:] = list(self._guest.failures), []
        for _, text, error in failures:
            raise HandlerFailed(f"{text}\n{self.transcript.tail()}") from error

    def _wait_for_end(self, talk: Conversation) -> int:
        talk.wait_for("the extension did not end", lambda: talk.ended)
        if self._guest.failure is not None:
            raise talk.has_ended("the extension did not end in the ordinary way")
        return self._guest.exit_code or 0

    def close(self) -> None:
        """Ends the extension if it has not ended, whatever state it is in; ``with`` does this.

        A handler that still runs has a second to answer, and half of one more to end. Then it is
        left behind, in its thread.
        """
        talk = self._conversation
        if talk is None or self._guest.socket.fileno() < 0:
            return
        if talk.ended is None:
            talk.deadline = _FAREWELL
            self._stand_ins.forget()
            _, _, is_calm = self._guest.progress()
            may_be_kept = bool(talk.unanswered) or not is_calm
            until = monotonic() + _GRACE
            try:
                talk.end_input()
                talk.wait_for(
                    "the extension did not end", lambda: talk.seen.has_left or talk.ended or None
                )
                look = partial(self._ended_or_late, until - _GRACE)
                if self._guest.is_tearing_down:
                    talk.wait_for("the extension did not end", look, _LOOK)
                if may_be_kept:
                    talk.deadline = max(_LAST_STEP, until - monotonic())
                self._wait_for_end(talk)
            except Failure as failure:
                text = str(failure).splitlines()[0]
                if self._guest.is_tearing_down and monotonic() >= until:
                    self._guest.failures.append(("teardown", LATE_TEARDOWN, None))
                    text = LATE_TEARDOWN
                elif talk.seen.has_left and talk.ended is None:
                    text = "a handler did not end with its extension, and is left behind"
                report(f"testing: {text}")
        self._guest.leave()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if error is not None and not isinstance(error, Failure) and hasattr(error, "add_note"):
            error.add_note(self.transcript.tail())
        self.close()
        if error is None:
            self._refuse_failures()

    @property
    def deadline(self) -> float:
        """Seconds that each step may take."""
        return self._talk.deadline

    @deadline.setter
    def deadline(self, seconds: float) -> None:
        self._talk.deadline = seconds

    # Tools.

    def call(self, tool: str, args: dict[str, Any] | None = None, /, **more: Any) -> Answer:
        """Calls a tool and waits for its answer: ``host.call("weather", city="Berlin")``."""
        return self.finish(self._begin(tool, {**(args or {}), **more}))

    def begin(self, tool: str, args: dict[str, Any] | None = None, /, **more: Any) -> Call:
        """Calls a tool; ``finish`` waits for its answer."""
        call = self._begin(tool, {**(args or {}), **more})
        # Else a cancel, or the end, could come before its handler.
        self._talk.wait_until_begun(f"the tool {tool} did not begin")
        return call

    def next_update(self, call: Call) -> dict[str, Any]:
        """Waits for the next update of a call: its frame, with ``progress`` and ``content``."""
        talk = self._talk

        def look() -> dict[str, Any] | None:
            updates = talk.updates.get(call._serial, [])
            if len(updates) > call._shown:
                return updates[call._shown]
            if call._serial in talk.outcomes:
                raise Misuse(f"the tool {call.tool} has answered without a further update")
            return None

        update = talk.wait_for(f"the tool {call.tool} did not send an update", look)
        call._shown += 1
        return update

    def cancel(self, call: Call) -> None:
        """Tells the extension that the answer is not wanted any more; it answers all the same."""
        if not self._session.cancels:
            raise Misuse("a host like this never cancels a call")
        self._session.cancel(call._serial, "user")
        self._talk.wait_until_begun(f"the tool {call.tool} was not cancelled")

    def finish(self, call: Call) -> Answer:
        """Waits for the answer to a call."""
        frame = self._answer(call._serial, f"the tool {call.tool} did not answer")
        self._check_output(call.tool, frame)
        return Answer(frame, self._talk.updates.pop(call._serial, []))

    def _check_output(self, tool: str, frame: dict[str, Any]) -> None:
        schema = self._talk.seen.tools.get(tool, {}).get("output_schema")
        if schema is None or frame.get("is_error"):
            return
        if "structured_content" not in frame:
            problem: str | None = "it gave no value"
        else:
            problem = output_problem(dumps(schema), dumps(frame["structured_content"]))
        if problem:
            raise Unusable(
                f"the tool {tool} declares an output schema, and its answer does not match it: "
                f"{problem}\n{self.transcript.tail()}"
            )

    def _begin(self, tool: str, args: dict[str, Any]) -> Call:
        self._refuse_unknown("tool", tool, self._talk.seen.tools)
        timeout = self._talk.seen.tools.get(tool, {}).get("timeout_ms")
        what = f"the tool {tool} was not called"
        return Call(self._sent(what, lambda: self._session.call_tool(tool, dumps(args), timeout)), tool)

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The tools that the extension offers, as it registered them."""
        return list(self._talk.seen.tools.values())

    # Commands, events, moments, methods.

    def command(self, name: str, args: str = "") -> CommandAnswer:
        """Runs a command with what a user typed behind it."""
        known = {one.lower() for one in self._talk.seen.commands}
        if name.lower() not in known:
            self._refuse_unknown("command", name, self._talk.seen.commands)
        what = f"the command {name} was not run"
        serial = self._sent(what, lambda: self._session.invoke_command(name, args))
        answer = CommandAnswer(self._answer(serial, f"the command {name} did not answer"))
        if (panel := answer.frame.get("open_panel")) is not None:
            self._talk.seen.take("open_panel", panel)
        return answer

    @property
    def commands(self) -> list[dict[str, Any]]:
        """The commands that the extension offers, as it registered them."""
        return list(self._talk.seen.commands.values())

    def event(self, name: str, payload: dict[str, Any] | None = None, /, **more: Any) -> None:
        """Tells of an event, and waits until its handlers have ended."""
        listens_to = self.subscription.get("events", [])
        if name not in listens_to:
            told = ", ".join(listens_to) or "nothing"
            raise Misuse(f"the extension does not listen to {name}: it listens to {told}")
        if not self._session.has_event(name):
            raise Misuse(f"a host like this has no event {name}")
        self._tell({"type": "event", "event": name, **(payload or {}), **more})
        self._talk.settle(f"the handlers of the event {name} did not end")
        self._refuse_failures()

    @property
    def subscription(self) -> dict[str, Any]:
        """What the extension listens to: ``events``, ``intercept``, ``guards``."""
        return self._talk.seen.subscription

    def intercept(self, point: str, payload: dict[str, Any] | None = None, /, **more: Any) -> Ruling:
        """Asks interceptors and then guards about what is about to happen:
        ``host.intercept("tool_call", tool="bash", args={"command": "ls"})``."""
        moment = {**(payload or {}), **more}
        if point == "tool_call":
            self._proposals += 1
            moment = {_CALLED.get(name, name): value for name, value in moment.items()}
            moment.setdefault("tool_id", f"proposal-{self._proposals}")
        if point == "before_agent_start":
            moment |= dict(zip(("provider", "model"), self._model))
        ruling = Ruling()
        for phase in self._phases(point):
            asked = {"type": "event_intercept", "id": "0", "event": point, **phase, **moment}
            what = f"the extension was not asked at {point}"
            serial = self._sent(what, partial(self._session.intercept, dumps(asked)))
            answer = self._answer(serial, f"the extension did not answer at {point}")
            if "modified_args" in answer:
                moment["tool_args"] = answer["modified_args"]
            ruling._take(answer)
            if ruling.blocked is not None:
                break
        return ruling

    def _phases(self, point: str) -> list[dict[str, str]]:
        """A host asks interceptors first and guards last; a zot asks once."""
        if not self._session.has_point(point):
            return []
        intercepts = point in self.subscription.get("intercept", [])
        guards = point in self.subscription.get("guards", [])
        if not self._session.asks_in_phases:
            return [{}] if intercepts else []
        asked = (("intercept", intercepts), ("guard", guards))
        return [{"phase": phase} for phase, is_asked in asked if is_asked]

    def request(self, method: str, params: Any = None) -> MethodAnswer:
        """Asks the extension by method."""
        what = f"the method {method} was not asked for"
        serial = self._sent(what, lambda: self._session.request(method, None if params is None else dumps(params)))
        look = partial(self._talk.take_answer, serial)
        name, said = self._talk.wait_for(f"the method {method} did not answer", look)
        parts = self._talk.parts.pop(serial, [])
        value, error = (said, None) if name == "response" else (None, said)
        return MethodAnswer(parts, value, error)

    # Panels.

    def panel(self, id: str) -> Panel | None:
        """A panel as it is shown; None when it is not open."""
        return self._talk.seen.panels.get(id)

    @property
    def panels(self) -> list[Panel]:
        """The panels that are open, the newest last."""
        return list(self._talk.seen.panels.values())

    def key(self, panel: str, key: str) -> None:
        """Presses a key: its name (``up``, ``enter``), or one character."""
        pressed = {"key": "rune", "text": key} if len(key) == 1 else {"key": key}
        self._in_panel(panel, {"type": "panel_key", "panel_id": panel, **pressed})

    def resize_panel(self, panel: str, width: int, height: int) -> None:
        """Gives it another size, in columns and lines."""
        size = {"width": width, "height": height}
        self._in_panel(panel, {"type": "panel_resize", "panel_id": panel, **size})

    def close_panel(self, panel: str) -> None:
        """Closes it, as a user does."""
        self._in_panel(panel, {"type": "panel_close", "panel_id": panel})
        self._talk.seen.take("panel_close", panel)

    def _in_panel(self, panel: str, frame: dict[str, Any]) -> None:
        if self.panel(panel) is None:
            raise Misuse(f"no panel {panel} is open")
        self._tell(frame)
        self._talk.settle(f"the panel {panel} did not handle its input")
        self._refuse_failures()

    # What it said unasked.

    @property
    def notes(self) -> list[Note]:
        """The notes that the user sees."""
        return self._talk.seen.notes

    @property
    def logs(self) -> list[dict[str, Any]]:
        """What was logged: ``level``, ``message``, ``fields``."""
        return self._talk.seen.logs

    @property
    def submitted(self) -> list[str]:
        """The prompts that were queued."""
        return self._talk.seen.submitted

    @property
    def notices(self) -> list[str]:
        """What the host would complain about."""
        return self._talk.seen.notices

    @property
    def transcript(self) -> Transcript:
        """Every frame, both ways."""
        return self._talk.transcript

    def settle(self) -> None:
        """Waits until the extension has handled every event and every panel's input."""
        self._talk.settle("the extension did not come to rest")
        self._refuse_failures()

    def wait_until(self, what: str, holds: Callable[[Host], Any]) -> None:
        """Waits until something has come: ``host.wait_until("a note", lambda host: host.notes)``."""
        until = monotonic() + self._talk.deadline
        self._talk.converse()
        while not holds(self):
            self._talk.wait_a_little(f"{what} did not come", until)

    # How.

    def _refuse_unknown(self, kind: str, name: str, known: Iterable[str]) -> None:
        """As a host does, which asks for nothing that was not registered."""
        if name in known or (kind, name) in self._unwanted:
            return
        if self._talk.ended is not None:
            raise self._talk.has_ended(f"the {kind} {name} was not called")
        offers = ", ".join(sorted(known)) or "none"
        raise Misuse(f"the extension offers no {kind} {name}; it offers {offers}")

    @property
    def _talk(self) -> Conversation:
        if self._conversation is None:
            raise Misuse("this host was not started: `with Host(ext) as host:`")
        return self._conversation

    def _sent(self, what: str, send: Callable[[], int]) -> int:
        try:
            serial = send()
        except ValueError as error:
            if self._talk.ended is not None:
                raise self._talk.has_ended(what) from None
            raise Misuse(f"{what}: {error}") from None
        self._talk.unanswered.add(serial)
        return serial

    def _tell(self, frame: dict[str, Any]) -> None:
        try:
            self._session.tell(dumps(frame))
        except ValueError as error:
            raise Misuse(f"the {frame['type']} was not sent: {error}") from None

    def _answer(self, serial: int, what: str) -> dict[str, Any]:
        name, said = self._talk.wait_for(what, lambda: self._talk.take_answer(serial))
        if name == "call_failed":
            # The session answers every open call when the extension ends.
            if self._talk.ended is not None:
                raise self._talk.has_ended(what)
            raise Unusable(f"{what}: {said['message']}\n{self.transcript.tail()}")
        frame: dict[str, Any] = said
        return frame


def _place_of_test() -> str:
    """The line of the test that starts a host."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__package__", "").startswith("extline"):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


# How what a handler reads of a tool call stands on the wire.
_CALLED = {"tool": "tool_name", "args": "tool_args"}


def _version() -> str:
    from .. import __version__

    return __version__
