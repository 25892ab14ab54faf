"""What a function given as ``gated`` says of a call: whether it is to be approved, and how."""

from __future__ import annotations

from . import _native
from ._handler import Handler

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ._native import Context


class Adviser(Handler):
    """A function of a tool's arguments, a dict. It returns a bool, or a dict that says more."""

    __slots__ = ()

    def __init__(self, function: Callable[..., Any], tool: str) -> None:
        super().__init__(function, f"gated of the tool {tool}", ("args",))

    def answer(self, ctx: Context, returned: Any) -> None:
        """Answers the host with what it returned."""
        if not isinstance(returned, (bool, dict)):
            raise self.mistake(f"returned {returned!r}, and must return True, False or a dict")
        try:
            _native.answer_approval(ctx, returned)
        except ValueError as error:
            raise self.mistake(f"returned {returned!r}: {error}") from None
