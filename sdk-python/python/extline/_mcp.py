"""The native module that can be an MCP server, in the place of the smaller one that cannot.

It is half as large again, so that it is loaded only by a program that may be such a server.
"""

import os
import sys

# As importlib.util and importlib.machinery have them; to import these takes five milliseconds of a start.
from _frozen_importlib import ModuleSpec, module_from_spec
from _frozen_importlib_external import ExtensionFileLoader

_NAME = "extline._native"
_FOLDER = os.path.dirname(__file__)
_FILES = [file for file in os.listdir(_FOLDER) if file.startswith("_native_mcp.")]

# In a tree where the module is built with everything else, the one that is there can be both.
if _FILES and _NAME not in sys.modules:
    _path = os.path.join(_FOLDER, _FILES[0])
    _loader = ExtensionFileLoader(_NAME, _path)
    _module = module_from_spec(ModuleSpec(_NAME, _loader, origin=_path))
    _module.__file__ = _path
    sys.modules[_NAME] = _module
    _loader.exec_module(_module)
    setattr(sys.modules["extline"], "_native", _module)
