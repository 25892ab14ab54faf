"""Pipes between a socket and a session: on Windows a session reads and writes pipes alone."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from io import FileIO
from threading import Condition, Thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket

_CHUNK = 1 << 16
# Seconds. What was written is carried on at once.
_LAST_BYTES = 2.0

if sys.platform == "win32":
    import msvcrt

    class Pipes:
        """Two threads carry what comes from the socket to the session, and what it writes back."""

        def __init__(self, theirs: socket.socket) -> None:
            self._theirs = theirs
            reads, into = os.pipe()
            out, writes = os.pipe()
            # Until the session has copies of them.
            self._lent = [reads, writes]
            # As files they translate no line ends.
            self._into = FileIO(into, "wb")
            self._out = FileIO(out, "rb")
            self._carried = 0
            self._carries = Condition()

        @property
        def handles(self) -> tuple[int, int]:
            """What a session is made over."""
            reads, writes = self._lent
            return msvcrt.get_osfhandle(reads), msvcrt.get_osfhandle(writes)

        def begin(self) -> None:
            """The session has copies of the handles."""
            self._take_back()
            for carry in (self._carry_in, self._carry_out):
                Thread(target=carry, name="extline testing", daemon=True).start()

        def end(self, written: int) -> None:
            """The session has written so many bytes, and ends: waits until they are in the socket."""
            self._take_back()
            with self._carries:
                self._carries.wait_for(lambda: self._carried >= written, _LAST_BYTES)

        def _take_back(self) -> None:
            while self._lent:
                os.close(self._lent.pop())

        def _carry_in(self) -> None:
            with suppress(OSError), self._into:
                while data := self._theirs.recv(_CHUNK):
                    while data:
                        data = data[self._into.write(data) :]

        def _carry_out(self) -> None:
            with suppress(OSError), self._out:
                while data := self._out.read(_CHUNK):
                    self._theirs.sendall(data)
                    with self._carries:
                        self._carried += len(data)
                        self._carries.notify_all()
