"""The kit in plain Python, broken on purpose: `kit_mutant.py NAME` breaks it in that way.

Without a name it passes every case for kits, those for SDKs too: its hello says that it is one.
Each function in the modules named `broken_` is one mistake, and the cases that must notice it name it
under `mutants`.
"""
import sys

import broken_calls
import broken_cancels
import broken_moments
import broken_output
import broken_requests
import broken_results
import broken_services
import broken_surface
import kit
from kit import Kit
from mutation import MUTANTS

if __name__ == "__main__":
    kit.HELLO["sdk"] = {"name": "none", "version": "1.0.0", "language": "python"}
    kit.HELLO["guards"] = ["tool_call"]
    for name in sys.argv[1:]:
        MUTANTS[name]()
    Kit().run()
