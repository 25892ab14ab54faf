"""What a command answers."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from ._services import View


def lines_of(lines: Iterable[str]) -> list[str]:
    """The lines of a panel. Raises TypeError for what would be drawn as something else."""
    if isinstance(lines, str):
        raise TypeError(f"lines are a list of str, one for each line: lines=[{lines!r}], or .splitlines()")
    found = list(lines)
    for line in found:
        if not isinstance(line, str):
            raise TypeError(f"lines are a list of str, and there is {line!r} in it")
    return found


class Panel:
    """A panel as it is opened: a title, lines of text (ANSI colours are allowed), a footer.

    ``id`` is the name that ``@ext.panel`` and ``ctx.panel`` know it by; an open panel of that name
    is replaced. A ``view`` is shown in place of the lines where the host shows views.
    """

    __slots__ = ("footer", "id", "lines", "title", "view")

    def __init__(
        self,
        id: str,
        *,
        title: str | None = None,
        lines: list[str] | None = None,
        footer: str | None = None,
        view: View | None = None,
    ) -> None:
        self.id = id
        self.title = title
        self.lines = None if lines is None else lines_of(lines)
        self.footer = footer
        self.view = view

    def _fields(self) -> dict[str, Any]:
        fields: dict[str, Any] = {"id": self.id}
        for name in ("title", "lines", "footer", "view"):
            value = getattr(self, name)
            if value is not None:
                fields[name] = value
        return fields


class Response:
    """What the host does once a command has run. Made by the class methods."""

    __slots__ = ("_fields",)

    def __init__(self, **fields: Any) -> None:
        self._fields = fields

    @classmethod
    def prompt(cls, prompt: str) -> Response:
        """Sends a prompt to the model."""
        return cls(action="prompt", prompt=prompt)

    @classmethod
    def insert(cls, text: str) -> Response:
        """Puts a text into the editor, for the user to go on with."""
        return cls(action="insert", insert=text)

    @classmethod
    def display(cls, text: str) -> Response:
        """Shows a text. A command that returns a str does the same."""
        return cls(action="display", display=text)

    @classmethod
    def noop(cls) -> Response:
        """Does nothing. A command that returns None does the same."""
        return cls(action="noop")

    @classmethod
    def open_panel(cls, panel: Panel) -> Response:
        """Opens a panel."""
        return cls(action="open_panel", open_panel=panel._fields())

    @classmethod
    def tool_prompt(cls, tool: str, args: dict[str, Any], prompt: str) -> Response:
        """Runs a tool with these arguments, guards and all, and sends the prompt with its result."""
        return cls(action="tool_prompt", prompt=prompt, tool_name=tool, tool_args=args)

    @classmethod
    def error(cls, message: str) -> Response:
        """The command failed; the user reads why. Raising ``ToolError`` does the same."""
        return cls(action="noop", error=message)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Response) and self._fields == other._fields

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={value!r}" for name, value in self._fields.items())
        return f"Response({fields})"
