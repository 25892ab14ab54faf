"""Dialogs: the person in front of the agent is asked."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from ._native import Context


class Ui:
    """Asks the person in front of the agent. In an ``async`` handler each answer is to be awaited.

    A dialog belongs to the handler's call and closes with it. Where nobody can be asked, each answers at
    once as if the person had closed it. A host that has no dialogs at all raises ``ToolError`` of kind
    ``unsupported``; ``ctx.ui.can("confirm")`` tells before.
    """

    __slots__ = ("_ctx",)

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx

    def can(self, dialog: str) -> bool:
        """Whether the host has that dialog: ``confirm``, ``select`` or ``input``."""
        return self._ctx.host.serves(f"ui.{dialog}")

    def confirm(self, title: str, message: str | None = None, *, timeout: float | None = None) -> Any:
        """Asks for a yes or no: ``if ctx.ui.confirm("Ship it?"):``. Returns True for yes, and False for no and
        where the dialog was closed. ``timeout`` is in seconds, counted from when the dialog is shown."""
        params = {"title": title, "message": message, "timeout_ms": _milliseconds(timeout)}
        return self._ask("ui.confirm", params, lambda answer: answer.get("confirmed", False))

    def select(
        self,
        title: str,
        options: Iterable[str | Mapping[str, str]],
        *,
        multi: bool = False,
        initial: str | None = None,
        timeout: float | None = None,
    ) -> Any:
        """Has an option chosen and returns its text; with ``multi`` a list of those that were chosen. None where
        the dialog was closed.

        An option is a text, or a dict with ``label`` and perhaps ``description``, and ``value`` that is returned
        in place of the label. ``initial`` is what is offered first."""
        params = {
            "title": title,
            "options": list(options),
            "multi": multi or None,
            "initial": initial,
            "timeout_ms": _milliseconds(timeout),
        }
        return self._ask("ui.select", params, lambda answer: answer.get("values" if multi else "value"))

    def input(
        self,
        title: str,
        *,
        placeholder: str | None = None,
        secret: bool = False,
        timeout: float | None = None,
    ) -> Any:
        """Asks for a line of text and returns it, perhaps empty. None where the dialog was closed. ``placeholder`` is
        an example of an answer; what is typed for a ``secret`` is not shown."""
        params = {
            "title": title,
            "placeholder": placeholder,
            "secret": secret or None,
            "timeout_ms": _milliseconds(timeout),
        }
        return self._ask("ui.input", params, lambda answer: answer.get("value"))

    def _ask(self, method: str, params: dict[str, Any], take: Callable[[dict[str, Any]], Any]) -> Any:
        said = {name: value for name, value in params.items() if value is not None}
        answer = self._ctx.request(method, said)
        return _later(answer, take) if hasattr(answer, "__await__") else take(answer)

    def __repr__(self) -> str:
        return f"<extline.Ui of {self._ctx!r}>"


async def _later(answer: Any, take: Callable[[dict[str, Any]], Any]) -> Any:
    return take(await answer)


def _milliseconds(seconds: float | None) -> int | None:
    return None if seconds is None else max(1, round(seconds * 1000)) if seconds > 0 else 0
