"""Every text of docs/python/troubleshooting.md is said by an extension that makes the mistake."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import IO

import pytest
from program import ROOT, run
from test_docs import matches

PAGE = (ROOT / "docs/python/troubleshooting.md").read_text()
TEXTS = [text.strip("` ") for text in re.findall(r"^### (`.+`)$", PAGE, re.M)]
# They hold backticks of their own.
TEXTS = [text + "`" if text.count("`") % 2 else text for text in TEXTS]

# What provokes each: a program, or that and what the host asks of it.
CALL = {"type": "tool_call", "id": "1", "name": "give", "args": {}}
ASKED = {"type": "event_intercept", "id": "1", "event": "tool_call", "tool_name": "bash", "tool_id": "1", "tool_args": {}}
LIMIT = "@ext.intercept('tool_call')\ndef a(call): {}"
GIVE = "@ext.tool\ndef give(): return {}"
TESTED = "from extline.testing import Host\n@ext.tool\ndef give():\n  import time; time.sleep(2)\n{}"
PROVOKED: dict[str, str | tuple[str, dict[str, object]]] = {
    "there is a tool named": "@ext.tool\ndef a(): ...\n@ext.tool\ndef a(): ...",
    "cannot come from JSON": "import socket\n@ext.tool\ndef a(to: socket.socket): ...",
    "names what is not there": "@ext.tool\ndef a(to: 'Socket'): ...",
    "does not match its annotation": "@ext.tool\ndef a(days: int = '5'): ...",
    "is no name for a tool": "@ext.tool\ndef größe(): ...",
    "the name of a tool is": "@ext.tool('size')\ndef a(): ...",
    "the method is not bound": "class A:\n  @ext.tool\n  def add(self): ...",
    "has no names a model": "@ext.tool\ndef a(*all): ...",
    "asks for": "@ext.command('a')\ndef a(args, more): ...",
    "there is no point": "@ext.intercept('toolcall')\ndef a(call): ...",
    "... needs a host": "ext.notify('hello')",
    "needs the package msgspec": "sys.modules['msgspec'] = None\n@ext.tool\ndef a(x: bytes): ...",
    "EXTLINE_STDIO is": "",
    "is an extension for a coding agent": "",
    "this extension has run already": "ext.run()\next.run()",
    "an event loop runs in this": "import asyncio\nasync def main(): ext.run()\nasyncio.run(main())",
    "an async handler that comes": "@ext.setup\ndef late():\n  @ext.tool\n  async def a(): ...",
    "comes too late: a host": ("@ext.tool\ndef give():\n  ext.on('turn_end')(print)", CALL),
    "comes too late: register": "@ext.setup\ndef late(): ext.teardown(print)",
    "no host is known": ("@ext.on('turn_ended')\ndef a(): ...\n@ext.tool\ndef give(): ...", CALL),
    "an event loop cannot wait": "@ext.tool\nasync def a(): ...",
    "this program imported extline": "",
    "this program made the extension": "sys.exit()",
    "does not offer the capability": "ext.require('rpc')",
    "setup failed:": "@ext.setup\ndef prepare(): 1 / 0",
    "tool ... failed": (GIVE.format("1 / 0"), CALL),
    "JSON has no NaN": (GIVE.format("[float('nan')]"), CALL),
    "is no JSON value": (GIVE.format("[object()]"), CALL),
    "bytes are no result": (GIVE.format("b''"), CALL),
    "these bytes do not say": (GIVE.format("image(b'')"), CALL),
    "is something to await": ("async def later(): ...\n" + GIVE.format("later()"), CALL),
    "it called sys.exit": (GIVE.format("sys.exit(3)"), CALL),
    "a guard may only block or ask": (
        "@ext.guard\ndef a(call): return call.rewrite({})",
        {"type": "event_intercept", "id": "1", "event": "tool_call", "tool_name": "bash", "tool_id": "1", "tool_args": {}},
    ),
    "which decides nothing": ("@ext.guard\ndef a(call): return True", ASKED),
    "and did not return what": (LIMIT.format("call.rewrite({})"), ASKED),
    "changed what it was given": (LIMIT.format("call.args['a'] = 1"), ASKED),
    "which nobody uses": ("@ext.on('turn_end')\ndef a(event): ext.notify('told'); return True", {"type": "event", "event": "turn_end"}),
    "yielded what are updates": ("@ext.tool\ndef give(): yield", CALL),
    "returned what cannot be sent": (GIVE.format("[object()]"), CALL),
    "the handler of this ctx": (
        "kept = []\n@ext.setup\ndef a(ctx): ...\n@ext.tool\ndef give(ctx): kept.append(ctx)\n"
        "@ext.teardown\ndef end(): kept[0].update('x')",
        CALL,
    ),
    "has kept the event loop": (
        "import time\n@ext.tool\nasync def give(): ext.notify('begun'); time.sleep(3)\n"
        "@ext.teardown\ndef end(): ...",
        CALL,
    ),
    "was cancelled, by the user": ("import time\n@ext.tool\ndef give(): ext.notify('begun'); time.sleep(1.1)", CALL),
    "a command returns a Response": (
        "@ext.command('a')\ndef a(): return 5",
        {"type": "command_invoked", "id": "1", "name": "a", "args": ""},
    ),
    "only the parent may talk": (
        "import os\n@ext.tool\ndef give(ctx):\n  if (child := os.fork()) == 0:\n"
        "    try: ctx.notify('x')\n    except RuntimeError as error: os.write(2, str(error).encode())\n"
        "    os._exit(0)\n  os.waitpid(child, 0)",
        CALL,
    ),
    "the child of a fork": (
        "import os\n@ext.tool\ndef give():\n  if child := os.fork(): os.waitpid(child, 0)",
        CALL,
    ),
    "... would not stop": ("import time\n@ext.tool\ndef give(): ext.notify('begun'); time.sleep(60)", CALL),
    "within ... s, the deadline": TESTED.format("with Host(ext, deadline=0.1) as host: host.call('give')"),
    "runs already: end": TESTED.format("with Host(ext) as one, Host(ext) as two: ..."),
    "this host was started before": TESTED.format("with Host(ext) as host: host.start()"),
    "the extension offers no tool": TESTED.format("with Host(ext) as host: host.call('take')"),
    "ext.run() was called while": "",
    "the extension does not listen": "from extline.testing import Host\n@ext.on('turn_end')\ndef a(): ...\nwith Host(ext) as host: host.event('turn_start')",
}


def test_every_text_is_provoked() -> None:
    assert len(TEXTS) == len(PROVOKED)
    for text, begin in zip(TEXTS, PROVOKED):
        assert text.startswith(begin)


@pytest.mark.parametrize(("text", "begin"), list(zip(TEXTS, PROVOKED)), ids=range(len(PROVOKED)))
def test_it_is_said_in_these_words(start, tmp_path: Path, text: str, begin: str) -> None:
    provoked = PROVOKED[begin]
    if isinstance(provoked, str):
        said = started(begin, provoked, tmp_path)
    else:
        program, asked = provoked
        peer = start("import sys\n" + program)
        peer.send(asked)
        peer.next()
        peer.shut_down()
        # On the wire, quotes are escaped.
        said = peer.raw.decode().replace('\\"', '"') + peer.stderr()
    assert matches(f"...{text}...", said), said


def started(begin: str, program: str, folder: Path) -> str:
    """What a program says that gets no further than its start."""
    lines = ["import sys", "from extline import *", "ext = Extension('w', '1.0.0')", program, "ext.run()"]
    if begin == "this program imported extline":
        lines = ["import extline"]
    if begin == "ext.run() was called while":
        (folder / "w.py").write_text("\n".join(lines))
        (folder / "test_w.py").write_text("import w\n")
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "test_w.py"], cwd=folder, capture_output=True, text=True, check=False
        )
        return done.stdout
    (folder / "w.py").write_text("\n".join(lines))
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("EXTLINE_", "PYTEST_"))}
    if begin == "EXTLINE_STDIO is":
        environment["EXTLINE_STDIO"] = "yes"
    (folder / "frames").write_text(
        '{"type":"hello_ack","protocol_version":1}\n{"type":"shutdown"}\n'
    )
    command = [sys.executable, "w.py"]
    with (folder / "frames").open() as frames, tempfile.TemporaryFile() as stderr:
        stdin: int | IO[str] = subprocess.PIPE
        stdout = subprocess.PIPE
        if begin == "an event loop cannot wait":
            stdin = frames
        if begin == "is an extension for a coding agent":
            _, stdin = pty.openpty()
            stdout = stdin
        running = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=stdin, stdout=stdout, stderr=stderr
        )
        running.communicate(frames.read().encode() if stdin == subprocess.PIPE else None, timeout=60)
        stderr.seek(0)
        return stderr.read().decode()


def test_a_program_that_raises_is_not_told_of_its_stdout(tmp_path: Path) -> None:
    said = started("", "import nothing_of_that_name", tmp_path)
    assert said.rstrip().endswith("ModuleNotFoundError: No module named 'nothing_of_that_name'")


@pytest.mark.parametrize("keyword", ["", "async "])
def test_a_failure_nobody_foresaw_names_the_log_that_has_the_traceback(
    tmp_path: Path, keyword: str
) -> None:
    (tmp_path / "w.py").write_text(
        "from extline import Extension\next = Extension('w')\n"
        f"@ext.tool\n{keyword}def halve(n: int): return 1 / n\n"
        # In an event loop too, and in one of its threads.
        "@ext.tool\nasync def other(): ...\next.run()\n"
    )
    done = run("extline", "call", "halve", '{"n": 0}', "--", sys.executable, "w.py", home=tmp_path / "home", folder=tmp_path)
    assert done.returncode == 1
    first, log = done.stderr.rstrip().splitlines()
    assert first == "error: halve failed (internal): ZeroDivisionError: division by zero"
    assert log.startswith("  log     ")
    said = Path(log.removeprefix("  log     ")).read_text()
    # The author's own lines, and not those of the package above them.
    traceback = said[said.index("Traceback") :].splitlines()
    assert traceback[1] == f'  File "{tmp_path}/w.py", line 4, in halve'
    assert "extline: tool halve failed:" in said
