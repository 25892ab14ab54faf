"""Frames to the extension and back, until what a step waits for has come."""

from __future__ import annotations

import select
from time import monotonic

from .._errors import ToolError
from .._native import dumps, loads
from ._failure import Ended, Failure, TimedOut
from ._seen import Seen
from ._transcript import Transcript

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from ._guest import Guest
    from ._native import HostSession
    from ._stand_ins import StandIns

    T = TypeVar("T")

# Seconds. What shows itself in no frame is looked at so often.
_TICK = 0.001
# Between the end of its output and the end of its thread an extension has nothing left to do.
_LAST_STEP = 2.0

# A failure as pytest shows it ends with the test's own line.
__tracebackhide__ = True


class Conversation:
    """The session of a host with one extension, driven by whoever waits."""

    def __init__(
        self,
        guest: Guest,
        session: HostSession,
        stand_ins: StandIns,
        unwanted: set[tuple[str, str]],
        deadline: float,
    ) -> None:
        self.session = session
        self.seen = Seen(unwanted)
        self.transcript = Transcript()
        self.deadline = deadline
        # How it ended, as "has ended with exit code 0".
        self.ended: str | None = None
        # What calls came to, by their serials: the name of an event, and what it says.
        self.outcomes: dict[int, tuple[str, Any]] = {}
        # The serials of what the host asked, and the extension has not answered.
        self.unanswered: set[int] = set()
        self.updates: dict[int, list[dict[str, Any]]] = {}
        self.parts: dict[int, list[Any]] = {}
        self._nested: dict[int, tuple[int, str]] = {}
        self._stand_ins = stand_ins
        self._guest = guest
        self._unsent = b""
        self._sent = 0

    # Waiting.

    def wait_for(self, what: str, look: Callable[[], T | None], tick: float | None = None) -> T:
        """Goes on until ``look`` finds something; ``what`` names what did not happen otherwise."""
        until = monotonic() + self.deadline
        while True:
            self.converse()
            if (found := look()) is not None:
                return found
            self.wait_a_little(what, until, tick)

    def wait_a_little(self, what: str, until: float, tick: float | None = None) -> None:
        """Reads once; fails when the extension has ended, or it is too late."""
        if self.ended is not None:
            raise self.has_ended(what)
        left = until - monotonic()
        if left <= 0:
            text = f"{what} within {self.deadline:g} s, the deadline of this testing host"
            raise TimedOut(f"{text}\n{self.transcript.tail()}")
        self._read(left if tick is None else min(left, tick))
        self.converse()

    def wait_until_begun(self, what: str) -> None:
        """Waits until the extension has read everything, and begun to do it."""

        def look() -> bool | None:
            read, is_begun, _ = self._guest.progress()
            return (read == self._sent and is_begun) or None

        self.wait_for(what, look, _TICK)

    def settle(self, what: str) -> None:
        """Waits until the extension has handled every event and every panel's input, and takes in
        what it has said by then."""

        def look() -> bool | None:
            read, _, is_calm = self._guest.progress()
            if not (read == self._sent and is_calm):
                return None
            # What it said on the way stands in the socket.
            while self._read(0):
                self.converse()
            return True

        self.wait_for(what, look, _TICK)

    def has_ended(self, what: str) -> Failure:
        """The failure of a step for which the extension should live."""
        why = "".join(f"; {text}" for _, text, _ in self._guest.failures)
        return Ended(f"{what}: the extension {self.ended}{why}\n{self.transcript.tail()}")

    def take_answer(self, serial: int) -> tuple[str, Any] | None:
        """What a call came to, if it did."""
        return self.outcomes.pop(serial, None)

    # Bytes.

    def converse(self) -> None:
        """Does what the session wants done, and sends what it says."""
        while True:
            while (event := self.session.poll_event()) is not None:
                name, serial, said = event
                self._handle(name, serial, loads(said))
            if self.seen.is_ready and self.seen.is_news:
                self.seen.is_news = False
                self.session.tell(dumps(self.seen.report()))
            data = self.session.poll_output()
            if not data:
                return
            self.send(data)

    def send(self, data: bytes) -> None:
        """Sends bytes as they stand."""
        self.transcript.add("host", data)
        self._sent += len(data)
        self._unsent += data
        self._write()

    def read(self, timeout: float) -> bytes:
        """Reads once, whatever comes; what came by then."""
        self.converse()
        data = self._read(timeout)
        self.converse()
        return data

    def end_input(self) -> None:
        """Tells the extension to end, and that no more comes."""
        self.session.shutdown()
        self.converse()

    def _write(self) -> None:
        try:
            while self._unsent:
                self._unsent = self._unsent[self._guest.socket.send(self._unsent) :]
        except BlockingIOError:
            pass
        except OSError:
            self._unsent = b""  # that it is gone is read as the end of its output

    def _read(self, timeout: float) -> bytes:
        """Reads once; what came by then."""
        if self.ended is not None:
            return b""
        ready = select.poll()
        ready.register(self._guest.socket, select.POLLIN | (select.POLLOUT if self._unsent else 0))
        ready.poll(timeout * 1000)
        self._write()
        try:
            data = self._guest.socket.recv(1 << 16)
        except BlockingIOError:
            return b""
        except OSError:
            data = b""
        if not data:
            self._end()
            return b""
        self.transcript.add("extension", data)
        self.session.handle_input(data)
        return data

    def _end(self) -> None:
        if not self._guest.join(_LAST_STEP):
            self.ended = "has closed its output"
        elif self._guest.failure is not None:
            error = self._guest.failure
            self.ended = f"has ended with {type(error).__name__}: {error}"
        else:
            self.ended = f"has ended with exit code {self._guest.exit_code}"
        self.session.handle_end("the extension has ended")

    # What happens.

    def _handle(self, name: str, serial: int, said: Any) -> None:
        if name == "handshake_failed":
            raise Ended(f"the extension did not become ready: {said}\n{self.transcript.tail()}")
        if name == "tool_update":
            self.updates.setdefault(serial, []).append(said)
        elif name == "response_part":
            self.parts.setdefault(serial, []).append(said)
        elif name == "call_tool":
            self._call_for_extension(serial, said)
        elif name == "request":
            self._serve(serial, said)
        elif serial in self._nested:
            asked, tool = self._nested.pop(serial)
            if name == "call_failed":
                text = {"type": "text", "text": said["message"]}
                said = {"content": [text], "is_error": True}
            self._answer_call(asked, tool, said["content"], said.get("is_error", False))
        elif serial:
            self.outcomes[serial] = (name, said)
            self.unanswered.discard(serial)
        else:
            self.seen.take(name, said)

    def _call_for_extension(self, asked: int, call: dict[str, Any]) -> None:
        """A tool of the test's, one of the extension's own, or one that nobody has."""
        name, args = call["name"], call.get("args", {})
        if name in self._stand_ins.tools:
            answer = self._stand_ins.call(name, args)
            if answer is not None:
                self.session.answer_call(asked, dumps(answer))
        elif name in self.seen.tools:
            self._nested[self.session.call_tool(name, dumps(args))] = (asked, name)
        else:
            unknown = {"type": "text", "text": f"unknown tool {name}"}
            self._answer_call(asked, name, [unknown], True)

    def _answer_call(self, asked: int, name: str, content: list[Any], is_error: bool) -> None:
        frame = {"type": "tool_result", "id": "0", "name": name, "content": content}
        self.session.answer_call(asked, dumps({**frame, "is_error": is_error}))

    def _serve(self, asked: int, request: dict[str, Any]) -> None:
        # The session lets only listed methods through.
        try:
            parts, result = self._stand_ins.request(request["method"], request.get("params"))
        except ToolError as error:
            self.session.refuse_request(asked, error.kind, error.message)
            return
        for number, part in enumerate(parts, 1):
            self.session.send_part(asked, number, dumps(part))
        self.session.answer_request(asked, dumps(result))


