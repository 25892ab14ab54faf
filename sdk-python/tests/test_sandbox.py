"""What a sandbox forbids, tried in Python."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from program import ROOT, run

PROGRAM = '''
import asyncio
import socket
import subprocess
from pathlib import Path

from extline import Extension

ext = Extension("curious", "1.0.0")


@ext.tool
def attempt(what: str, path: str = "") -> str:
    """Tries something."""
    if what == "reach":
        socket.create_connection(("127.0.0.1", 9))
    elif what == "run":
        subprocess.run([path], check=True)
    else:
        Path(path).write_text("x")
    return "done"


@ext.tool
async def attempt_later(path: str) -> str:
    """Tries something in a loop, which has a pair of sockets of its own."""
    await asyncio.create_subprocess_exec(path)
    return "done"


ext.run()
'''

REFUSED = [
    ("attempt", {"what": "reach"}, "it to open a network socket (permissions.net)"),
    ("attempt", {"what": "run", "path": "/bin/true"}, "it to run /bin/true (permissions.exec)"),
    ("attempt_later", {"path": "/bin/true"}, "it to run /bin/true (permissions.exec)"),
    ("attempt", {"what": "write"}, "permissions.fs.write: it writes nothing but its data folder"),
]


def test_what_the_sandbox_refuses_is_named_in_the_answer(tmp_path: Path) -> None:
    sandbox = json.loads(run("extline", "ext", "status", "--json", home=tmp_path / "home").stdout)["sandbox"]
    if not sandbox["seccomp"] or (sandbox["landlock"] or 0) < 3:
        pytest.skip("this kernel cannot do it")
    (tmp_path / "curious").mkdir()
    (tmp_path / "curious/curious.py").write_text(PROGRAM)
    outside = tmp_path / "outside.txt"
    for limits in ({"net": False, "exec": False, "fs": {"write": [], "read": [str(ROOT)]}}, {}):
        manifest = {"name": "curious", "exec": sys.executable, "args": ["curious.py"], "permissions": limits}
        (tmp_path / "curious/extension.json").write_text(json.dumps(manifest))
        for tool, args, refused in REFUSED:
            words = {"path": str(outside), **args} if args.get("what") == "write" else args
            done = run("extline", "call", tmp_path / "curious", tool, json.dumps(words), home=tmp_path / "home")
            if limits:
                assert done.returncode == 1 and refused in done.stderr, done.stdout + done.stderr
                assert "Permission" in done.stderr, done.stderr
                assert not outside.exists()
            elif args.get("what") != "reach":
                assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
