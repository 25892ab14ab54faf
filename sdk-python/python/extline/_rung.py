"""An event loop that waits for sockets and for no pipes, as those of Windows do: the native half rings."""

from __future__ import annotations

import socket
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from ._native import Session


class Rung:
    """Pumps whenever the native half has something to tell."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, session: Session, pump: Callable[[bool], None]
    ) -> None:
        self._loop = loop
        self._pump = pump
        self._ours, theirs = socket.socketpair()
        self._ours.setblocking(False)
        if sys.platform == "win32":
            session.ring_at(theirs.detach())
        self._hearing = loop.create_task(self._hear())

    async def _hear(self) -> None:
        with self._ours:
            # Many rings are one.
            while await self._loop.sock_recv(self._ours, 4096):
                self._pump(True)

    def end(self) -> None:
        """Hears nothing any more."""
        self._hearing.cancel()
