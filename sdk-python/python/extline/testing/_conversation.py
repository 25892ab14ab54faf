"""Bytes to the extension and back, until a step of the testing host is over."""

from __future__ import annotations

import select
import sys

from .._errors import ToolError
from .._native import dumps, loads
from .._response import Panel
from ._answers import Note
from ._failure import HandlerFailed
from ._transcript import Transcript

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ._guest import Guest
    from ._native import HostSteps
    from ._stand_ins import StandIns

# Seconds. Between the end of its output and the end of its thread an extension has nothing left to do.
_LAST_STEP = 2.0

# A failure as pytest shows it ends with the test's own line.
__tracebackhide__ = True


class Conversation:
    """A testing host with one extension, driven by whoever waits."""

    def __init__(self, guest: Guest, steps: HostSteps, stand_ins: StandIns) -> None:
        self.steps = steps
        self.transcript = Transcript(steps)
        self.notes: list[Note] = []
        self.panels: dict[str, Panel] = {}
        # What else it said unasked.
        self.told: dict[str, list[Any]] = {"logs": [], "submitted": [], "notices": []}
        self._guest = guest
        self._stand_ins = stand_ins
        self._unsent = b""
        self._sent = 0
        self._received = 0
        # What handlers raised whose failures the host knows of, and has not told.
        self._raised: list[BaseException | None] = []

    def do(self, *what: Any, holds: Callable[[], Any] | None = None) -> Any:
        """Does a step, its name and what it is given: goes on until it is over, or ``holds`` says so.
        What it found."""
        step = self.steps.step(dumps(what))
        while True:
            self.converse()
            if holds is not None and holds():
                self.steps.drop_step(step)
                return None
            found = self._look(step)
            self.converse()
            if isinstance(found, str):
                return loads(found)
            self._read(found)

    def _look(self, step: int) -> float | str:
        read, written, has_begun, is_calm = self._guest.progress()
        has_read = read == self._sent
        # What it said on the way stands in the socket.
        while has_read and is_calm and self._read(0):
            self.converse()
        # On Windows it is carried there, and may be on its way.
        is_calm = is_calm and self._received >= written
        self._pass_failures()
        is_tearing_down = self._guest.is_tearing_down
        try:
            return self.steps.look(step, has_read and has_begun, has_read and is_calm, is_tearing_down)
        except HandlerFailed as failure:
            cause, self._raised = self._raised[0], []
            raise failure from cause

    def _pass_failures(self) -> None:
        while self._guest.failures:
            _, text, error = self._guest.failures.pop(0)
            self.steps.handle_failure(text)
            self._raised.append(error)

    # Bytes.

    def converse(self) -> None:
        """Does what the host wants done, and sends what it says."""
        while True:
            while (asked := self.steps.poll_asked()) is not None:
                self._answer(*asked)
            while (told := self.steps.poll_told()) is not None:
                self._take(*told)
            data = self.steps.poll_output()
            if not data:
                return
            self._send(data)

    def send(self, data: bytes) -> None:
        """Sends bytes of a case as they stand."""
        self.steps.note_sent(data)
        self._send(data)

    def read(self, timeout: float) -> bytes:
        """Reads once, whatever comes; what came by then."""
        self.converse()
        data = self._read(timeout)
        self.converse()
        return data

    def _send(self, data: bytes) -> None:
        self._sent += len(data)
        self._unsent += data
        self._write()

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
        if self.steps.ended is not None:
            return b""
        self._wait(timeout)
        self._write()
        try:
            data = self._guest.socket.recv(1 << 16)
        except BlockingIOError:
            return b""
        except OSError:
            data = b""
        if data:
            self._received += len(data)
            self.steps.handle_input(data)
        else:
            self._end()
        return data

    def _wait(self, timeout: float) -> None:
        """Until there is something to read, or what is unsent can be sent."""
        sockets = [self._guest.socket]
        if sys.platform == "win32":
            # There it takes sockets of any number, and is all there is.
            select.select(sockets, sockets if self._unsent else [], [], timeout)
        else:
            ready = select.poll()
            ready.register(sockets[0], select.POLLIN | (select.POLLOUT if self._unsent else 0))
            ready.poll(timeout * 1000)

    def _end(self) -> None:
        guest = self._guest
        if not guest.join(_LAST_STEP):
            how = "has closed its output"
        elif guest.failure is not None:
            how = f"has ended with {type(guest.failure).__name__}: {guest.failure}"
        else:
            how = f"has ended with exit code {guest.exit_code}"
        self.steps.handle_end(how, None if guest.failure is not None else guest.exit_code or 0)

    # What it says and asks.

    def _take(self, name: str, text: str) -> None:
        said = loads(text)
        if name == "panels":
            self._show(said)
        elif name != "notes":
            self.told[name].append(said)
        elif said is None:
            self.notes.clear()
        else:
            self.notes.append(Note(*said))

    def _show(self, said: dict[str, Any] | str) -> None:
        """A panel as it is now, or the id of one that is closed."""
        if isinstance(said, str):
            self.panels.pop(said, None)
            return
        now = Panel(**said)
        panel = self.panels.setdefault(now.id, now)
        panel.title, panel.lines, panel.footer = now.title, now.lines, now.footer

    def _answer(self, asked: int, is_method: bool, name: str, text: str) -> None:
        if not is_method:
            content, is_error = self._stand_ins.call(name, loads(text))
            self.steps.answer_call(asked, dumps(content), is_error)
            return
        try:
            parts, result = self._stand_ins.request(name, loads(text))
        except ToolError as error:
            self.steps.refuse_request(asked, error.kind, error.message)
            return
        for part in parts:
            self.steps.send_part(asked, dumps(part))
        self.steps.answer_request(asked, dumps(result))
