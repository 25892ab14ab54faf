"""Reads texts, one JSON string a line, and writes what json_repair makes of each: JSON, or a blank line."""

import json
import sys

import json_repair

for line in sys.stdin:
    try:
        became = json_repair.loads(json.loads(line))
    except Exception:
        became = ""
    # An empty string is how it says that there is nothing.
    print("" if became == "" else json.dumps(became, allow_nan=True), flush=True)
