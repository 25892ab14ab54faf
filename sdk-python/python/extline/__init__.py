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

from . import _claim
from ._errors import Cancelled, ToolError
from ._extension import Extension
from ._mistake import DefinitionError
from ._native import Context, RawJson
from ._result import Image, ToolResult, Update, image
from ._response import Panel, Response

_claim.at_import()

__all__ = [
    "Cancelled",
    "Context",
    "DefinitionError",
    "Extension",
    "Image",
    "Panel",
    "RawJson",
    "Response",
    "ToolError",
    "ToolResult",
    "Update",
    "image",
]
__version__ = "0.1.0"
