"""The person in front of the agent: asked by dialogs, and shown something."""

from __future__ import annotations

from ._answered import then, through
from ._errors import ToolError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Mapping
    from typing import Any

    from ._native import Context
    from ._services import (
        UiAsk,
        UiAskAnswer,
        UiAuth,
        UiAuthAnswer,
        UiChoice,
        UiConfirm,
        UiConfirmAnswer,
        UiEditor,
        UiEditorAnswer,
        UiInput,
        UiInputAnswer,
        UiPlacement,
        UiQuestion,
        UiSelect,
        UiSelectAnswer,
        UiStatus,
        UiTitle,
        UiWidget,
        View,
        UiWorking,
    )


class Ui:
    """Asks the person in front of the agent, and shows something. In an ``async`` handler each answer is to be
    awaited.

    A dialog belongs to the handler's call and closes with it. Where nobody can be asked, each answers at
    once as if the person had closed it. A host that has no dialogs at all raises ``ToolError`` of kind
    ``unsupported``; ``ctx.ui.can("confirm")`` tells before. Under MCP it is true, and
    where the client cannot ask its user, the line that asks raises the same.

    What ``status``, ``title``, ``working`` and ``widget`` show stays until None takes it back. They never wait for a
    person, and return False under a host that does not show such things.
    """

    __slots__ = ("_ctx",)

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx

    def can(self, what: str) -> bool:
        """Whether the host has that: ``confirm``, ``select``, ``input``, ``editor``, ``ask``, ``auth``, ``status``,
        ``title``, ``working`` or ``widget``."""
        return self._ctx.host.serves(f"ui.{what}")

    def confirm(self, title: str, message: str | None = None, *, timeout: float | None = None) -> Any:
        """Asks for a yes or no: ``if ctx.ui.confirm("Ship it?"):``. Returns True for yes, and False for no and
        where the dialog was closed. ``timeout`` is in seconds, counted from when the dialog is shown."""
        params: UiConfirm = {"title": title, "message": message, "timeout_ms": _milliseconds(timeout)}

        def take(answer: UiConfirmAnswer) -> bool:
            return answer.get("confirmed", False)

        return self._ask("ui.confirm", params, take)

    def select(
        self,
        title: str,
        options: Iterable[UiChoice],
        *,
        multi: bool = False,
        initial: str | None = None,
        timeout: float | None = None,
    ) -> Any:
        """Has an option chosen and returns its text; with ``multi`` a list of those that were chosen. None where
        the dialog was closed.

        An option is a text, or a dict with ``label`` and perhaps ``description``, and ``value`` that is returned
        in place of the label. ``initial`` is what is offered first."""
        params: UiSelect = {
            "title": title,
            "options": list(options),
            "initial": initial,
            "timeout_ms": _milliseconds(timeout),
        }
        if multi:
            params["multi"] = True

        def take(answer: UiSelectAnswer) -> str | list[str] | None:
            return answer.get("values") if multi else answer.get("value")

        return self._ask("ui.select", params, take)

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
        params: UiInput = {
            "title": title,
            "placeholder": placeholder,
            "timeout_ms": _milliseconds(timeout),
        }
        if secret:
            params["secret"] = True

        def take(answer: UiInputAnswer) -> str | None:
            return answer.get("value")

        return self._ask("ui.input", params, take)

    def editor(self, title: str, prefill: str | None = None, *, timeout: float | None = None) -> Any:
        """Has a text of several lines written, or ``prefill`` changed, in an editor, and returns it. None where the
        dialog was closed."""
        params: UiEditor = {"title": title, "prefill": prefill, "timeout_ms": _milliseconds(timeout)}

        def take(answer: UiEditorAnswer) -> str | None:
            return answer.get("value")

        return self._ask("ui.editor", params, take)

    def ask(self, questions: Iterable[UiQuestion], *, timeout: float | None = None) -> Any:
        """Asks several questions at once: ``ctx.ui.ask([{"id": "where", "question": "Where?", "options": ["north",
        "south"]}])``. Returns a dict that has for each ``id`` a list of what was chosen, or of the line that was
        typed where there are no ``options``. None where the dialog was closed."""
        params: UiAsk = {"questions": list(questions), "timeout_ms": _milliseconds(timeout)}

        def take(answer: UiAskAnswer) -> dict[str, list[str]] | None:
            return answer.get("answers")

        return self._ask("ui.ask", params, take)

    def auth(
        self, url: str, code: str | None = None, message: str | None = None, *, timeout: float | None = None
    ) -> Any:
        """Has the person sign in at ``url``, where ``code`` is entered, and returns True once they say that it is
        done; False where the dialog was closed. Ask the service itself whether it is."""
        params: UiAuth = {"url": url, "code": code, "message": message, "timeout_ms": _milliseconds(timeout)}

        def take(answer: UiAuthAnswer) -> bool:
            return answer.get("confirmed", False)

        return self._ask("ui.auth", params, take)

    def status(self, key: str, text: str | None) -> Any:
        """Shows a short text, until another one with this ``key`` takes its place. None takes it back."""
        params: UiStatus = {"key": key, "text": text}
        return self._show("ui.status", params)

    def title(self, title: str | None) -> Any:
        """Sets the title of the window. None takes it back."""
        params: UiTitle = {"title": title}
        return self._show("ui.title", params)

    def working(self, text: str | None) -> Any:
        """Says what the agent is doing, while it works. None takes it back."""
        params: UiWorking = {"text": text}
        return self._show("ui.working", params)

    def widget(
        self,
        key: str,
        lines: Iterable[str] | None,
        placement: UiPlacement = "above",
        *,
        view: View | None = None,
    ) -> Any:
        """Shows some lines ``above`` or ``below`` what the person types, until others with this ``key`` take their
        place. None takes them back. A ``view`` is shown in place of the lines where the host shows views."""
        params: UiWidget = {
            "key": key,
            "lines": None if lines is None else list(lines),
            "placement": placement,
        }
        if view is not None:
            params["view"] = view
        return self._show("ui.widget", params)

    def _ask(self, method: str, params: Mapping[str, Any], take: Callable[[Any], Any]) -> Any:
        said = {name: value for name, value in params.items() if value is not None}
        return then(self._ctx.request(method, said), take)

    def _show(self, method: str, params: Mapping[str, Any]) -> Any:
        return through(self._showing(method, params))

    def _showing(self, method: str, params: Mapping[str, Any]) -> Generator[Any, Any, bool]:
        try:
            yield self._ctx.request(method, params)
        except ToolError as error:
            if error.kind != "unsupported":
                raise
            return False
        return True

    def __repr__(self) -> str:
        return f"<extline.Ui of {self._ctx!r}>"


def _milliseconds(seconds: float | None) -> int | None:
    if seconds is None:
        return None
    if not seconds > 0:
        raise ValueError(f"timeout={seconds}: a person needs more than 0 seconds; leave it out for no end")
    return max(1, round(seconds * 1000))
