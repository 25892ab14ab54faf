#!/usr/bin/env python3
"""Other people's programs against ours, and nothing else: the official clients of MCP, a zot where there is one
(ZOT_BIN, target/tools or PATH), and agents with a scripted model (PATH or target/agents/node_modules/.bin).
`make test` has the first two among its steps, and plays what was recorded of the agents; this builds what it
needs.
"""

import os
import subprocess
import sys
from pathlib import Path

import tools

ROOT = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))


def main():
    os.chdir(ROOT)
    tools.put_on_path()
    build = ["cargo", "build", "--locked", "--workspace", "--all-targets"]
    subprocess.run(build, check=True)
    # The environment of Python, and the package for Node.
    subprocess.run(["scripts/build-kits.sh"], check=True)
    failed = [name for name, command in checks() if not holds(name, command)]
    sys.exit(f"FAILED: {', '.join(failed)}" if failed else 0)


def checks():
    yield "the official clients of MCP", ["scripts/test-mcp.py"]
    zot = os.environ.get("ZOT_BIN") or tools.where("zot")
    if not zot:
        print(f"SKIPPED zot: ZOT_BIN=/path/to/zot, or {tools.how('zot')}")
    elif not tools.where("tmux"):
        print(f"SKIPPED zot, which shows its panels in tmux: {tools.how('tmux')}")
    else:
        os.environ["ZOT_BIN"] = zot
        yield "zot", "cargo test --locked --workspace --test real_zot -- --ignored".split()
    # The extension that they are shown is one in Python.
    os.environ["PATH"] = f"{TARGET / 'python/bin'}{os.pathsep}{os.environ['PATH']}"
    yield "the agents themselves", ["examples/agents/drive.py"]


def holds(name, command):
    print(f"\n== {name}", flush=True)
    return subprocess.run(command, env=os.environ | {"EXTLINE_BUILT": "1"}).returncode == 0


if __name__ == "__main__":
    main()
