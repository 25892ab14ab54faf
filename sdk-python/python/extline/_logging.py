"""Python's own logging, into the host's log."""

from __future__ import annotations

import logging

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._speaking import Speaking


class LoggingHandler(logging.Handler):
    """Writes records to the host's log; before the extension runs, to stderr."""

    def __init__(self, extension: Speaking) -> None:
        super().__init__()
        self._extension = extension

    def emit(self, record: logging.LogRecord) -> None:
        """Writes one record."""
        try:
            message = self.format(record)
            serving = self._extension._serving
            if serving is None:
                from . import _native

                _native.report(f"{_level(record.levelno)}: {message}")
            else:
                fields: dict[str, Any] = {"logger": record.name}
                serving.session.log(message, _level(record.levelno), fields)
        except Exception:
            self.handleError(record)


def _level(number: int) -> str:
    if number >= logging.ERROR:
        return "error"
    if number >= logging.WARNING:
        return "warn"
    return "info" if number >= logging.INFO else "debug"
