"""What a handler returned where nobody uses it."""

from __future__ import annotations

from ._decide import shown
from ._moment import Decision
from ._panel import PanelInput
from ._response import Panel, Response
from ._result import ToolResult

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._handler import Handler

_MEANT = (bool, str, dict, list, Decision, Panel, Response, ToolResult)


def refuse(handler: Handler, returned: Any, told: Any) -> None:
    """Raises HandlerMistake where the author is likely to have meant something by it.

    Whatever else a function gives in passing, as ``list.pop`` or ``submit`` of a pool do, is let be.
    """
    if not isinstance(returned, _MEANT) and not hasattr(returned, "__await__"):
        return
    if isinstance(told, PanelInput):
        use = f"to draw the panel anew, call ctx.panel({told.panel_id!r}).render(lines=[...])"
    elif told.event == "tool_call":
        use = 'to decide about a call, use @ext.guard and return call.block("...")'
    else:
        use = 'to decide what happens, use @ext.guard or @ext.intercept("tool_call")'
    raise handler.mistake(f"returned {shown(returned)}, which nobody uses: {use}")
