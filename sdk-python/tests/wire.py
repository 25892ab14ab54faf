"""A host's end of an extension's pipes, frame by frame."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

# A bound that only catches hangs.
PATIENCE = 120.0
PACKAGE = Path(__file__).parents[1] / "python"
PRELUDE = "from extline import *\n"
# For a source that makes none of its own.
EXTENSION = "ext = Extension('test', '1.0.0')\n"


class Peer:
    """An extension process, and a host made of nothing but its pipes."""

    def __init__(self, source: str | Path, folder: Path, *, ack: bool = True, **ack_fields: Any):
        if isinstance(source, str):
            file = folder / "extension_under_test.py"
            prelude = PRELUDE if "ext = Extension(" in source else PRELUDE + EXTENSION
            file.write_text(prelude + textwrap.dedent(source) + "\nif __name__ == '__main__': ext.run()\n")
        else:
            file = source
        self._stderr_file = folder / "stderr.txt"
        # PYTHONSAFEPATH and the like of the test's own environment are not the extension's.
        environment = {k: v for k, v in os.environ.items() if not k.startswith("EXTLINE_")}
        environment |= {"PYTHONPATH": str(PACKAGE), "PYTHONUNBUFFERED": ""}
        with self._stderr_file.open("wb") as stderr:
            self.process = subprocess.Popen(
                [sys.executable, str(file)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                env=environment,
                cwd=folder,
                bufsize=0,
                start_new_session=True,
            )
        self._pending = b""
        self.raw = b""
        self.start: list[dict[str, Any]] = []
        if ack:
            self.start.append(self.next("hello"))
            self.send({"type": "hello_ack", "protocol_version": 1, **ack_fields})
            while self.start[-1]["type"] != "ready":
                self.start.append(self.next())

    def send(self, *frames: dict[str, Any]) -> None:
        """Writes the frames in one piece."""
        self.write(b"".join(json.dumps(frame).encode() + b"\n" for frame in frames))

    def write(self, data: bytes) -> None:
        assert self.process.stdin is not None
        view = memoryview(data)
        while view:
            view = view[self.process.stdin.write(view) :]

    def line(self) -> bytes | None:
        """The next line; None at the end."""
        assert self.process.stdout is not None
        deadline = time.monotonic() + PATIENCE
        while b"\n" not in self._pending:
            left = deadline - time.monotonic()
            if not select.select([self.process.stdout], [], [], max(0, left))[0]:
                raise AssertionError(f"nothing came for {PATIENCE} s; stderr:\n{self.stderr()}")
            chunk = os.read(self.process.stdout.fileno(), 1 << 16)
            if not chunk:
                return None
            self._pending += chunk
            self.raw += chunk
        line, _, self._pending = self._pending.partition(b"\n")
        return line

    def next(self, kind: str | None = None) -> dict[str, Any]:
        """The next frame, which must be of that type."""
        line = self.line()
        assert line is not None, f"the extension ended; stderr:\n{self.stderr()}"
        frame: dict[str, Any] = json.loads(line)
        assert kind in (None, frame["type"]), f"{frame}; stderr:\n{self.stderr()}"
        return frame

    def call(self, tool: str, id: str = "1", **args: Any) -> dict[str, Any]:
        """Calls a tool; its result."""
        self.begin(tool, id, **args)
        return self.next("tool_result")

    def begin(self, tool: str, id: str = "1", **args: Any) -> None:
        self.send(tool_call(tool, id, **args))

    def command(self, name: str, args: str = "") -> dict[str, Any]:
        self.send({"type": "command_invoked", "id": "1", "name": name, "args": args})
        return self.next("command_response")

    def intercept(self, point: str, **payload: Any) -> dict[str, Any]:
        self.send({"type": "event_intercept", "id": "1", "event": point, **payload})
        return self.next("event_intercept_response")

    def shut_down(self) -> int:
        """Ends it as a host does; its exit code."""
        self.send({"type": "shutdown"})
        return self.end()

    def end(self) -> int:
        """Closes its stdin, reads the rest, waits; its exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        while self.line() is not None:
            pass
        return self.process.wait(PATIENCE)

    def stderr(self) -> str:
        return self._stderr_file.read_text(errors="replace")

    def frames(self) -> list[dict[str, Any]]:
        """Everything that came, each line a frame."""
        return [json.loads(line) for line in self.raw.splitlines()]

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            pipe.close()


def tool_call(tool: str, id: str = "1", **args: Any) -> dict[str, Any]:
    return {"type": "tool_call", "id": id, "name": tool, "args": args}


def text(result: dict[str, Any]) -> str:
    return "\n".join(block["text"] for block in result["content"])
