"""What a tool returns or yields, beyond plain values."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal

    from ._services import View


class Image:
    """An image for the model, made by ``image(data, mime_type)``: ``base64`` and ``mime_type``."""

    __slots__ = ("base64", "mime_type")

    def __init__(self, base64: str, mime_type: str) -> None:
        self.base64 = base64
        self.mime_type = mime_type

    def __repr__(self) -> str:
        return f"<extline.Image {self.mime_type}, {len(self.base64) * 3 // 4} bytes>"


def image(data: bytes | bytearray | memoryview | str, mime_type: str = "") -> Image:
    """An image from its bytes, as they stand in a file; a str is standard base64 already.

    The media type of PNG, JPEG, GIF and WebP need not be said. Raises ValueError where it is not
    said of others, and TypeError for data that are no bytes.
    """
    if isinstance(data, str):
        if not mime_type:
            raise ValueError('say what the image is: image(data, "image/png")')
        return Image(data, mime_type)
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError(f"the data of an image are bytes, and this is {type(data).__name__}")
    from binascii import b2a_base64

    mime_type = mime_type or _mime_type(bytes(data[:16]))
    return Image(b2a_base64(data, newline=False).decode("ascii"), mime_type)


def _mime_type(head: bytes) -> str:
    if head.startswith(b"\x89PNG"):
        return "image/png"
    if head.startswith(b"\xff\xd8"):
        return "image/jpeg"
    if head.startswith(b"GIF8"):
        return "image/gif"
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    raise ValueError('these bytes do not say what they are: image(data, "image/png")')


class ToolResult:
    """A result that says more than a plain value can.

    ``content`` is a str, an image, or a list of both. ``structured`` is any JSON value. Where there
    is no content, it becomes the text too. ``details`` is any JSON value for the user's eyes, which
    the model does not see. ``view`` says how a person is shown the result, in place of its text:
    ``view.table(...)`` and its like. ``effects`` says what the call did to the world:
    ``[{"kind": "file", "op": "create", "path": "notes.md"}]``. ``activate`` names tools to offer
    from now on. ``is_error`` marks a failure that still has something to show. ``trust`` is
    ``untrusted`` for content that others wrote, such as a web page, or ``trusted``. A member that
    is None is left out.
    """

    __slots__ = (
        "activate",
        "content",
        "details",
        "effects",
        "is_error",
        "structured",
        "trust",
        "view",
    )

    def __init__(
        self,
        content: str | Image | Sequence[str | Image] | None = None,
        *,
        structured: Any = None,
        details: Any = None,
        view: View | None = None,
        effects: list[dict[str, Any]] | None = None,
        activate: list[str] | None = None,
        is_error: bool = False,
        trust: Literal["trusted", "untrusted"] | None = None,
    ) -> None:
        if trust not in (None, "trusted", "untrusted"):
            raise ValueError(f"trust is 'trusted' or 'untrusted', and not {trust!r}")
        if isinstance(activate, str):
            raise TypeError(f"activate is a list of names: activate=[{activate!r}]")
        self.content = content
        self.structured = structured
        self.details = details
        self.view = view
        self.effects = effects
        self.activate = activate
        self.is_error = is_error
        self.trust = trust

    def _frame(self) -> dict[str, Any]:
        content = self.content
        if content is None and self.structured is not None:
            from ._native import dumps

            content = dumps(self.structured)
        frame: dict[str, Any] = {"content": _blocks(content)}
        if self.is_error:
            frame["is_error"] = True
        for name, value in (
            ("activate_tools", self.activate),
            ("structured_content", self.structured),
            ("details", self.details),
            ("view", self.view),
            ("effects", self.effects),
            ("trust", self.trust),
        ):
            if value is not None:
                frame[name] = value
        return frame


class Update:
    """How a call stands, for a generator to yield: what ``ctx.update`` takes.

    ``message`` is one line for the user, ``done`` of ``total`` in ``unit`` how far it is, ``text``
    what there is of the answer so far, ``details`` any JSON value, ``view`` how a person is shown the answer so
    far. A member that is None is left out.
    """

    __slots__ = ("details", "done", "message", "text", "total", "unit", "view")

    def __init__(
        self,
        message: str | None = None,
        *,
        done: float | None = None,
        total: float | None = None,
        unit: str | None = None,
        text: str | None = None,
        details: Any = None,
        view: View | None = None,
    ) -> None:
        self.message = message
        self.done = done
        self.total = total
        self.unit = unit
        self.text = text
        self.details = details
        self.view = view

    def _fields(self) -> dict[str, Any]:
        progress = {
            name: value
            for name in ("done", "total", "unit", "message")
            if (value := getattr(self, name)) is not None
        }
        fields: dict[str, Any] = {}
        if progress:
            fields["progress"] = progress
        if self.text is not None:
            fields["content"] = _blocks(self.text)
        if self.details is not None:
            fields["details"] = self.details
        if self.view is not None:
            fields["view"] = self.view
        return fields


def _blocks(content: Any) -> list[dict[str, Any]]:
    if content is None:
        return []
    return [_block(one) for one in (content if isinstance(content, (list, tuple)) else [content])]


def _block(one: Any) -> dict[str, Any]:
    if isinstance(one, str):
        return {"type": "text", "text": one}
    if isinstance(one, Image):
        return {"type": "image", "mime_type": one.mime_type, "data": one.base64}
    raise TypeError(f"content is str and image(...), and this is {type(one).__name__}")
