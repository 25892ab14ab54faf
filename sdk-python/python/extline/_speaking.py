"""What an extension says to its host unasked."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from logging import Handler
    from typing import Any, Literal

    from ._host import Host
    from ._response import Panel


class Speaking:
    """The half of an extension that speaks. It needs a host, which ``_serving`` has."""

    _serving: Any

    def notify(self, message: str, *, level: Literal["info", "success", "warn", "error"] = "info") -> None:
        """Shows the user a note, of the level ``info``, ``success``, ``warn`` or ``error``.

        From any thread. Raises RuntimeError while there is no host, and in the child of a fork; so
        do all methods below.
        """
        self._running("notify").session.notify(message, level)

    def log(self, message: str, *, level: Literal["debug", "info", "warn", "error"] = "info", **fields: Any) -> None:
        """Writes a line to the host's log, or to stderr where it keeps none.

        The level is ``debug``, ``info``, ``warn`` or ``error``; ``fields`` are JSON values.
        """
        self._running("log").session.log(message, level, fields or None)

    def logging_handler(self) -> Handler:
        """A handler for Python's ``logging``, which writes to the host's log.

            logging.getLogger().addHandler(ext.logging_handler())

        Before the extension runs it writes to stderr.
        """
        from ._logging import LoggingHandler

        return LoggingHandler(self)

    def submit(self, text: str) -> None:
        """Queues a prompt for the model, or with a slash in front runs a command."""
        self._running("submit").session.submit(text)

    def clear_notes(self) -> None:
        """Takes the extension's notes back."""
        self._running("clear_notes").session.clear_notes()

    def open_panel(self, panel: Panel) -> None:
        """Opens a panel outside a command, or draws it anew."""
        self._running("open_panel").open_panel(panel)

    @property
    def host(self) -> Host:
        """The host, as ``ctx.host`` has it, once it has answered."""
        found: Host = self._running("host").host
        return found

    def _running(self, what: str) -> Any:
        if self._serving is None:
            raise RuntimeError(f"{what} needs a host, so the extension must run: call it in a handler")
        return self._serving
