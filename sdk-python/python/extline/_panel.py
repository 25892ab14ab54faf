"""Panels while they are open."""

from __future__ import annotations

from ._response import lines_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from ._native import Session
    from ._services import View


class PanelInput:
    """Something happened in a panel: ``kind`` is ``key``, ``resize`` or ``close``.

    ``key`` is the key's name (``up``, ``enter``, ``rune``, ...), ``text`` the text of a
    ``rune``; ``width`` and ``height`` the new size in columns and lines.
    """

    __slots__ = ("height", "key", "kind", "panel_id", "text", "width")

    def __init__(self, frame: dict[str, Any]) -> None:
        self.kind: str = frame["type"].removeprefix("panel_")
        self.panel_id: str = frame["panel_id"]
        self.key: str | None = frame.get("key")
        self.text: str | None = frame.get("text")
        self.width: int | None = frame.get("width")
        self.height: int | None = frame.get("height")

    def __repr__(self) -> str:
        what = self.text or self.key or ""
        return f"<PanelInput {self.panel_id} {self.kind} {what}>"


class OpenPanel:
    """A panel of the extension, by ``ctx.panel(id)``."""

    __slots__ = ("_session", "id")

    def __init__(self, session: Session, id: str) -> None:
        self._session = session
        self.id = id

    @property
    def is_open(self) -> bool:
        """Whether it is open, as far as is known here: the user may have closed it just now."""
        return self._session.panel_is_open(self.id)

    def open(
        self,
        *,
        title: str | None = None,
        lines: Iterable[str] | None = None,
        footer: str | None = None,
        view: View | None = None,
    ) -> None:
        """Opens it, or draws it anew. A ``view`` is shown in place of the lines where the host shows views."""
        panel = {"id": self.id, **_fields(title, lines, footer, view)}
        self._session.panel({"type": "open_panel", "panel": panel})

    def render(
        self,
        *,
        title: str | None = None,
        lines: Iterable[str] | None = None,
        footer: str | None = None,
        view: View | None = None,
    ) -> bool:
        """Draws it anew; whether it is open.

        The title stays where none is said; lines and footer are gone.
        """
        fields = _fields(title, lines, footer, view)
        return self._session.panel({"type": "panel_render", "panel_id": self.id, **fields})

    def close(self) -> None:
        """Closes it. Nothing happens when it is not open."""
        self._session.close_panel(self.id)


def _fields(title: Any, lines: Any, footer: Any, view: Any) -> dict[str, Any]:
    fields = {"title": title, "lines": None if lines is None else lines_of(lines), "footer": footer, "view": view}
    return {name: value for name, value in fields.items() if value is not None}
