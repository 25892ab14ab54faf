"""What a function given as ``gated`` says of a call: whether it is to be approved, and how."""

from __future__ import annotations

from ._errors import ToolError
from ._handler import Handler

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ._native import Context

#: The method by which a host asks.
METHOD = "tool.approval"
_TEXTS = ("key", "reason")
_WORDS = {"policy": ("allow", "deny", "prompt"), "tier": ("read", "write", "exec")}


class Adviser(Handler):
    """A function of a tool's arguments, a dict. It returns a bool, or a dict that says more."""

    __slots__ = ()

    def __init__(self, function: Callable[..., Any], tool: str) -> None:
        super().__init__(function, f"gated of the tool {tool}", ("args",))

    def call(self, ctx: Context, *values: Any) -> Any:
        """Calls it; what it returns is the answer to the host."""
        returned = super().call(ctx, *values)
        return self._later(returned) if self.is_async else self._answer(returned)

    async def _later(self, returned: Any) -> Any:
        return self._answer(await returned)

    def _answer(self, returned: Any) -> Any:
        if isinstance(returned, bool):
            return {"policy": "prompt" if returned else "allow"}
        if not isinstance(returned, dict):
            raise self.mistake(f"returned {returned!r}, and must return True, False or a dict")
        for member, value in returned.items():
            if member in _WORDS:
                fits, wanted = value in _WORDS[member], " or ".join(map(repr, _WORDS[member]))
            elif member in _TEXTS:
                fits, wanted = isinstance(value, str), "a str"
            elif member == "details":
                fits = isinstance(value, (list, tuple)) and all(isinstance(it, str) for it in value)
                wanted = "a list of str"
            else:
                known = ", ".join([*_WORDS, *_TEXTS, "details"])
                raise self.mistake(f"returned a dict with {member!r}; it may have {known}")
            if not fits and value is not None:
                raise self.mistake(f"returned {member!r} as {value!r}, and it is {wanted}")
        return {member: value for member, value in returned.items() if value is not None}


def asked_about(advisers: dict[str, Handler], params: Any) -> tuple[Handler, Any]:
    """Who answers a question about a call, and the arguments of that call."""
    tool = params.get("tool") if isinstance(params, dict) else None
    args = params.get("args") if isinstance(params, dict) else None
    if not isinstance(args, dict):
        raise ToolError.validation("asked is about a tool and its args, an object")
    adviser = advisers.get(tool) if isinstance(tool, str) else None
    if adviser is None:
        raise ToolError.not_found(f"no tool {tool!r} says more of its calls")
    return adviser, args
