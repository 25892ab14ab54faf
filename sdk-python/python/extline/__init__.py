"""Extensions for coding agents: tools, commands, guards and panels, written as functions.

    from extline import Extension

    ext = Extension("weather", "1.0.0")

    @ext.tool
    def weather(city: str) -> str:
        "Current weather for a city."
        return f"{city}: 16°C, fog"

    if __name__ == "__main__":
        ext.run()

Where a host starts the program, importing this package takes stdin and stdout over for the
protocol, so that whatever prints goes to stderr. ``EXTLINE_STDIO=leave`` keeps them as they are,
``claim`` takes them in any case.
"""

import os as _os
import sys as _sys

if "--mcp" in getattr(_sys, "argv", [])[1:2] or "EXTLINE_WIRE" in _os.environ:
    # Before the native module is imported, whose place a larger one takes.
    from . import _mcp  # noqa: F401

from . import _claim
from ._config import ConfigError
from ._errors import Cancelled, ToolError
from ._extension import Extension
from ._mistake import DefinitionError
from ._native import Context, RawJson
from ._result import Image, ToolResult, Update, image
from ._response import Panel, Response

TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import events, view
    from ._agent import Agent
    from ._event import Event
    from ._moment import (
        AgentStart,
        Decision,
        GuardedToolUse,
        Message,
        ModelCall,
        RewritableToolUse,
        ToolAnswer,
        ToolUse,
        UserPrompt,
    )
    from ._exec import Ran
    from ._panel import PanelInput
    from ._pending import Pending
    from ._secret import Secret
    from ._state import History, Slot, State
    from ._ui import Ui

_claim.at_import()

__all__ = [
    "Agent",
    "AgentStart",
    "Cancelled",
    "ConfigError",
    "Context",
    "Decision",
    "DefinitionError",
    "Event",
    "Extension",
    "GuardedToolUse",
    "History",
    "Image",
    "Message",
    "ModelCall",
    "Panel",
    "PanelInput",
    "Pending",
    "Ran",
    "RawJson",
    "Response",
    "RewritableToolUse",
    "Secret",
    "Slot",
    "State",
    "ToolAnswer",
    "ToolError",
    "ToolResult",
    "ToolUse",
    "Ui",
    "Update",
    "UserPrompt",
    "events",
    "image",
    "view",
]
__version__ = "0.1.0"


# Only to annotate with, so they are loaded when somebody does.
_GIVEN = {
    "Agent": "_agent",
    "AgentStart": "_moment",
    "Decision": "_moment",
    "Event": "_event",
    "GuardedToolUse": "_moment",
    "History": "_state",
    "Message": "_moment",
    "ModelCall": "_moment",
    "PanelInput": "_panel",
    "Pending": "_pending",
    "Ran": "_exec",
    "RewritableToolUse": "_moment",
    "Secret": "_secret",
    "Slot": "_state",
    "State": "_state",
    "ToolAnswer": "_moment",
    "UserPrompt": "_moment",
    "ToolUse": "_moment",
    "Ui": "_ui",
}


def __getattr__(name: str) -> object:
    if name in ("events", "view"):
        from importlib import import_module

        return import_module(f"{__name__}.{name}")
    if name not in _GIVEN:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_GIVEN[name]}"), name)
