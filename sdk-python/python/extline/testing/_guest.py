"""The extension at the other end of a socket, in threads of its own."""

from __future__ import annotations

import os
import socket
import sys
from contextlib import suppress
from threading import Event, Thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .._extension import Extension


class Guest:
    """An extension that is served in this process. It is left as it was found."""

    def __init__(self, extension: Extension, started_at: str) -> None:
        if extension._serving is not None:
            other = extension.__dict__.get("_started_at")
            raise RuntimeError(
                f"{extension.name} runs already: end the other host first"
                + (f", which was started at {other}" if other else "")
            )
        self._extension = extension
        # What failed and nobody waits for: what it was, how it failed, and what was raised.
        self.failures: list[tuple[str, str, BaseException | None]] = []
        # What `setup` registers is of this run alone.
        self._kept = dict(extension.__dict__)
        extension.__dict__["_started_at"] = started_at
        extension.__dict__.update({name: _copy(value) for name, value in self._kept.items()})
        self.socket, self._theirs = socket.socketpair()
        self.socket.setblocking(False)
        # On Windows a session takes no sockets.
        self._pipes: Any = None
        if sys.platform == "win32":
            from ._pipes import Pipes

            self._pipes = Pipes(self._theirs)
        self._session: Any = None
        self._serving: Any = None
        self._begun = Event()
        self.exit_code: int | None = None
        self.failure: BaseException | None = None
        # A handler that never ends must not keep the tests from ending.
        self._thread = Thread(target=self._serve, name="extline extension", daemon=True)
        self._thread.start()
        self._begun.wait()

    def progress(self) -> tuple[int, int, bool, bool]:
        """Bytes it has read, bytes it has written, whether it has begun all that it has read, and whether
        all of that is done except the calls that still run."""
        return self._session.progress() if self._session is not None else (0, 0, False, False)

    def join(self, timeout: float) -> bool:
        """Waits for its end; whether it came."""
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def leave(self) -> None:
        """Puts the extension back as it was."""
        self.socket.close()
        serving = self._extension._serving
        self._extension.__dict__.clear()
        self._extension.__dict__.update(self._kept)
        self._session = self._serving = None
        if serving is not None and not self._thread.is_alive():
            # The session holds it, and it the session. A context that was kept may still ask it.
            serving.__dict__.clear()
            serving.__class__ = _Ended
        self._theirs.close()

    def _serve(self) -> None:
        if self._pipes is None:
            over = (os.dup(self._theirs.fileno()), os.dup(self._theirs.fileno()))
        else:
            over = self._pipes.handles
        try:
            if self._extension._has_async:
                self.exit_code = self._serve_async(over)
            else:
                from .._serving import Serving

                serving = Serving(self._extension, over=over)
                self._begin(serving)
                self.exit_code = serving.session.serve()
        except BaseException as error:
            self.failure = error
        finally:
            self._begun.set()
            if self._pipes is not None:
                self._pipes.end(self.progress()[1])
            # It is closed where nobody waited for the end any more.
            with suppress(OSError):
                self._theirs.shutdown(socket.SHUT_RDWR)

    def _serve_async(self, over: tuple[int, int]) -> int:
        import asyncio

        from .._asyncio import AsyncServing

        async def serve() -> int:
            serving = AsyncServing(self._extension, over=over)
            self._begin(serving)
            return await serving.serve()

        return asyncio.run(serve())

    @property
    def is_tearing_down(self) -> bool:
        """Whether its teardown has begun, and not ended."""
        return self._serving is not None and self._serving.is_tearing_down

    def _begin(self, serving: Any) -> None:
        serving.on_failure = lambda *failure: self.failures.append(failure)
        if self._pipes is not None:
            self._pipes.begin()
        self._session = serving.session
        self._serving = serving
        self._begun.set()


class _Ended:
    """What is left of an extension that was served."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(
            "the session has ended, so that there is no host any more: use a ctx in the call that it "
            "was given for, and ext while it runs"
        )


def _copy(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copy(one) for key, one in value.items()}
    if isinstance(value, list):
        return list(value)
    return value.copy() if type(value).__name__ == "Registrations" else value
