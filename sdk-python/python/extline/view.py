"""Views: how a person is shown a result, an update, a panel, a widget or a call.

    return ToolResult("2 tests, 1 failed", view=view.table(["test", "ok"], [["start", True], ["stop", False]]))

A host that shows no views shows the text. ``title`` is one line above the view. Where a view cannot be
shown, the host shows the text and says why.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from ._services import View, ViewCell, ViewLine, ViewSpan, ViewStyle

__all__ = ["diff", "keyvalue", "lines", "markdown", "meter", "styled", "table"]


def table(
    columns: Iterable[str], rows: Iterable[Iterable[ViewCell]], *, title: str | None = None
) -> View:
    """Rows and columns. A cell is a str, a number, a bool, None or ``styled(...)``; a column of numbers is set
    to the right."""
    return _view("table", title, columns=list(columns), rows=[list(row) for row in rows])


def diff(text: str, *, title: str | None = None) -> View:
    """How a text has changed, as ``diff -u`` or ``difflib.unified_diff`` writes it."""
    return _view("diff", title, text=text)


def markdown(text: str, *, title: str | None = None) -> View:
    """A text in Markdown."""
    return _view("markdown", title, text=text)


def lines(lines: Iterable[ViewLine], *, title: str | None = None) -> View:
    """Lines: each a str, ``styled(...)``, or a list of these beside each other. A str is split where it has line
    feeds."""
    if isinstance(lines, str):
        lines = lines.splitlines()
    return _view("lines", title, lines=list(lines))


def keyvalue(pairs: Mapping[str, ViewCell], *, title: str | None = None) -> View:
    """Names with their values, in the order of the dict."""
    listed = [{"key": key, "value": value} for key, value in pairs.items()]
    return _view("keyvalue", title, pairs=listed)


def meter(value: float, max: float, *, unit: str | None = None, title: str | None = None) -> View:
    """How much of ``max`` is used, or done; ``unit`` says what is counted."""
    members: dict[str, Any] = {"value": value, "max": max}
    return _view("meter", title, **members, **({} if unit is None else {"unit": unit}))


def styled(text: str, *style: ViewStyle) -> ViewSpan:
    """A piece of text in one style or several: ``accent``, ``success``, ``error``, ``warning``, ``muted``, ``dim``,
    ``title``, ``bold``, ``italic``, ``strike``."""
    return {"text": text, "style": list(style)}


def _view(kind: str, title: str | None, **members: Any) -> View:
    made: Any = {"kind": kind, **({} if title is None else {"title": title}), **members}
    return made  # type: ignore[no-any-return]
