#!/usr/bin/env python3
"""What one decision of a hook costs, from the spawn to the exit: `extline hook` with the guard of
examples/guard-rust running, beside a C program that asks the same of the same guard, and beside hooks in
Python and Node that decide by themselves. All in turn, as ratios.

    python3 bench/hooks.py [ROUNDS]
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from processes import BENCH, EXTLINE, ROOT, build_extline, cargo, compiled, measure

GUARD = ROOT / "examples/guard-rust"
EVENT = {
    "session_id": "bench",
    "cwd": "/",
    "hook_event_name": "PreToolUse",
    "tool_name": "Bash",
    "tool_use_id": "1",
    "tool_input": {"command": "rm -rf /"},
}


def main():
    rounds = sys.argv[1] if len(sys.argv) > 1 else "300"
    build_extline()
    cargo("--release", "-p", "guard-rust")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        os.environ |= {"XDG_RUNTIME_DIR": folder, "EXTLINE_HOME": folder}
        event = Path(folder, "event.json")
        event.write_text(json.dumps(EVENT))
        hook = [str(EXTLINE), "hook", "--agent", "claude", str(GUARD)]
        try:
            # The first one starts the guard, and is not measured.
            said = subprocess.run(hook, stdin=event.open(), capture_output=True, check=True).stdout
            assert b'"deny"' in said, said
            (socket,) = Path(folder, "extline").glob("*.sock")
            commands = {
                "a C program that asks the same": [compiled("ask"), socket],
                "extline hook": hook,
                "a hook in Python": ["python3", str(BENCH / "hook/hook.py")],
                "a hook in Node": ["node", str(BENCH / "hook/hook.mjs")],
            }
            measure(rounds, event, commands)
        finally:
            subprocess.run([EXTLINE, "hook", "--stop"], stdout=subprocess.DEVNULL, check=True)


if __name__ == "__main__":
    main()
