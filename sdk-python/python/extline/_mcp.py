"""The native module that can be an MCP server, in the place of the smaller one that cannot.

It is half as large again, so that it is loaded only by a program that may be such a server.
"""

import os
import sys
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_file_location

_NAME = "extline._native"
_FOLDER = os.path.dirname(__file__)
_FILES = [file for file in os.listdir(_FOLDER) if file.startswith("_native_mcp.")]

# In a tree where the module is built with everything else, the one that is there can be both.
if _FILES and _NAME not in sys.modules:
    _path = os.path.join(_FOLDER, _FILES[0])
    _spec = spec_from_file_location(_NAME, _path, loader=ExtensionFileLoader(_NAME, _path))
    if _spec is not None and _spec.loader is not None:
        _module = module_from_spec(_spec)
        sys.modules[_NAME] = _module
        _spec.loader.exec_module(_module)
        setattr(sys.modules["extline"], "_native", _module)
