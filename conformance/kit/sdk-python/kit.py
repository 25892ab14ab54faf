#!/usr/bin/env python3
"""The kit on the Python SDK: what conformance/kit/surface.toml says, for
`extline conformance --level kit`. docs/tester/kits.md says what a kit is."""
# Each registers its part, in this order.
import commands, values, waiting, faults, knowledge, methods, services, moments, panel  # noqa: E401, F401
from memory import kit

if __name__ == "__main__":
    kit.run()
