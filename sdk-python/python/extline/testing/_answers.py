"""What the extension answered."""

from __future__ import annotations

from .._response import Panel, Response

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Answer:
    """What a tool answered, and the updates that came before. A tool that failed has answered too."""

    __slots__ = ("frame", "updates")

    def __init__(self, frame: dict[str, Any], updates: list[dict[str, Any]]) -> None:
        #: The frame as it came.
        self.frame = frame
        #: The updates as frames, in their order. Of several within 50 ms only the last is sent, so
        #: a test waits for one with ``host.next_update(call)`` rather than counting them.
        self.updates = updates

    @property
    def text(self) -> str:
        """The text blocks, joined by line ends; what the model reads."""
        return "\n".join(one["text"] for one in self.content if one["type"] == "text")

    @property
    def content(self) -> list[dict[str, Any]]:
        """All blocks, images included."""
        content: list[dict[str, Any]] = self.frame["content"]
        return content

    @property
    def value(self) -> Any:
        """The result as a value; None when the tool gave none."""
        return self.frame.get("structured_content")

    @property
    def view(self) -> Any:
        """How a person is shown the result; None when the tool does not say."""
        return self.frame.get("view")

    @property
    def details(self) -> Any:
        """What is for the user's eyes and not for the model."""
        return self.frame.get("details")

    @property
    def effects(self) -> list[dict[str, Any]]:
        """What the call did to the world, as the tool declares it."""
        effects: list[dict[str, Any]] = self.frame.get("effects", [])
        return effects

    @property
    def activated(self) -> list[str]:
        """Tools to offer from now on."""
        activated: list[str] = self.frame.get("activate_tools", [])
        return activated

    @property
    def trust(self) -> str | None:
        """How far the content may be trusted, where the tool says so."""
        return self.frame.get("trust")

    @property
    def is_error(self) -> bool:
        """Whether the tool failed. An exception in its handler is such a failure."""
        failed: bool = self.frame.get("is_error", False)
        return failed

    @property
    def error(self) -> dict[str, Any] | None:
        """Why it failed: kind, message, field, hint, causes."""
        return self.frame.get("error")

    @property
    def kind(self) -> str | None:
        """The kind of the failure: ``validation``, ``not_found``, ..."""
        return (self.error or {}).get("kind")

    @property
    def field(self) -> str | None:
        """JSON pointer of the argument that is wrong, where the failure names one."""
        return (self.error or {}).get("field")

    @property
    def hint(self) -> str | None:
        """What to do about it, where the failure says so."""
        return (self.error or {}).get("hint")

    def __repr__(self) -> str:
        return f"<Answer {'error ' if self.is_error else ''}{self.text[:200]!r}>"


class CommandAnswer:
    """What a command answered; it equals the ``Response`` that the handler returned."""

    __slots__ = ("frame",)

    def __init__(self, frame: dict[str, Any]) -> None:
        #: The frame as it came.
        self.frame = frame

    @property
    def action(self) -> str:
        """What the host is to do: ``prompt``, ``display``, ``noop``, ..."""
        action: str = self.frame["action"]
        return action

    @property
    def prompt(self) -> str | None:
        """The prompt for the model."""
        return self.frame.get("prompt")

    @property
    def insert(self) -> str | None:
        """The text for the editor."""
        return self.frame.get("insert")

    @property
    def display(self) -> str | None:
        """The text to show."""
        return self.frame.get("display")

    @property
    def panel(self) -> Panel | None:
        """The panel to open."""
        panel = self.frame.get("open_panel")
        return None if panel is None else Panel(**panel)

    @property
    def tool_call(self) -> tuple[str, dict[str, Any]] | None:
        """The tool that is to be called, and its arguments."""
        tool = self.frame.get("tool_name")
        return None if tool is None else (tool, self.frame.get("tool_args", {}))

    @property
    def error(self) -> str | None:
        """Why the command failed."""
        return self.frame.get("error") or None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Response):
            return NotImplemented
        own = {name: value for name, value in self.frame.items() if name not in ("type", "id")}
        return own == other._fields

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<CommandAnswer {self.frame}>"


class Ruling:
    """What the extension made of what was about to happen."""

    __slots__ = (
        "asked",
        "blocked",
        "handled",
        "replaced",
        "result",
        "rewritten",
        "system_prompt",
    )

    def __init__(self, said: dict[str, Any]) -> None:
        #: Why it must not happen, or a result was withheld, or None.
        self.blocked: str | None = said.get("blocked")
        #: Why a person is asked before it happens, or None.
        self.asked: str | None = said.get("asked")
        #: The arguments that count instead, or None.
        self.rewritten: dict[str, Any] | None = said.get("rewritten")
        #: The text that counts instead, or None.
        self.replaced: str | None = said.get("replaced")
        #: The system prompt that counts instead, or None.
        self.system_prompt: str | None = said.get("system_prompt")
        #: What stands in the place of a tool's result, or None: those of ``content``,
        #: ``structured_content``, ``details`` and ``is_error`` that were replaced.
        self.result: dict[str, Any] | None = said.get("result")
        #: True where the extension has dealt with a prompt, or None.
        self.handled: bool | None = said.get("handled")

    @property
    def is_allowed(self) -> bool:
        """Whether it goes on as it was."""
        return all(getattr(self, name) is None for name in self.__slots__)

    def __repr__(self) -> str:
        said = {n: v for n in self.__slots__ if (v := getattr(self, n)) is not None}
        return f"<Ruling {said or 'allowed'}>"


class MethodAnswer:
    """What a method answered: its ``value``, or its ``error`` with ``code`` and ``message``; and the
    ``parts`` that came before."""

    __slots__ = ("error", "parts", "value")

    def __init__(self, said: dict[str, Any]) -> None:
        self.parts: list[Any] = said["parts"]
        self.value: Any = said.get("value")
        self.error: dict[str, Any] | None = said.get("error")

    @property
    def kind(self) -> str | None:
        """The kind of the failure."""
        return None if self.error is None else self.error["code"]

    def __repr__(self) -> str:
        return f"<MethodAnswer {self.error or self.value!r}>"


class Note:
    """A note that the extension showed the user, with its ``level`` and ``message``."""

    __slots__ = ("level", "message")

    def __init__(self, level: str, message: str) -> None:
        self.level = level
        self.message = message

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Note) and (self.level, self.message) == (other.level, other.message)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Note({self.level!r}, {self.message!r})"
