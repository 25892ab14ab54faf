"""A host on Linux that talks with an extension under wine, over the pipes that it would give any program."""

import json
import subprocess
import tempfile
import threading

# Seconds until the extension is ended: it takes two.
PATIENCE = 60
CAPABILITIES = ["tool_cancel", "tool_update", "log"]
ACK = {"type": "hello_ack", "protocol_version": 1, "capabilities": CAPABILITIES, "zot_version": "0.2.0"}


class Wrong(Exception):
    """What an extension did wrong, in words."""


def converse(command, env, printed=("no line end", "from a child"), is_piped=False):
    """Talks with an extension that has the tools `echo`, `big` and `stray`, which prints these. Fails as Wrong."""
    for is_told in (True, False):
        with Extension(command, env, is_piped) as extension:
            extension.begin()
            if (text := extension.call("echo", text="é\n")) != "é\n":
                raise Wrong(f"it answered {text!r}")
            if (length := len(extension.call("big", amount=3_000_000))) != 3_000_000:
                raise Wrong(f"of a large answer it sent {length} characters")
            extension.call("stray")
            if is_told:
                extension.send({"type": "shutdown"})
                extension.expect("shutdown_ack")
            said = extension.end(keeps_open=is_told)
            for text in printed:
                if text not in said:
                    raise Wrong(f"{text!r} is not on stderr: {said}")


def interrupt(command, env, is_piped=False):
    """Cancels a call of the tool `keep`, whose handler keeps the thread until it sees that."""
    with Extension(command, env, is_piped) as extension:
        extension.begin()
        extension.send({"type": "tool_call", "id": "1", "name": "keep", "args": {}})
        extension.expect("tool_update")
        extension.send({"type": "tool_cancel", "id": "1", "reason": "the user cancelled"})
        if "cancelled" != (text := extension.expect("tool_result")["content"][0]["text"]):
            raise Wrong(f"the handler that keeps the thread said: {text}")
        extension.end(keeps_open=False)


def end_at_once(command, env, is_piped=False):
    """Its input is at its end from the start."""
    with Extension(command, env, is_piped) as extension:
        extension.child.stdin.close()
        extension.child.stdin = None
        extension.expect("hello")
        extension.end(keeps_open=True)


def serve_mcp(command, env, tool="echo", result="é\n", is_piped=False, **args):
    """A client of MCP initializes a server, lists its tools, calls one and ends."""
    with Extension(command, env, is_piped) as server:
        client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        if "serverInfo" not in server.ask("initialize", **client):
            raise Wrong("it did not say who it is")
        server.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        names = [told["name"] for told in server.ask("tools/list")["tools"]]
        if tool not in names:
            raise Wrong(f"{tool} is none of the tools {names}")
        told = server.ask("tools/call", name=tool, arguments=args or {"text": result})
        if told["content"][0]["text"] != result:
            raise Wrong(f"the tool answered {told}")
        server.end(keeps_open=False)


def with_modules(command, env, is_piped=False):
    """Runs a program to its end, which says at last that all is well. Its output is a file, or a pipe."""
    with tempfile.TemporaryFile() as file:
        output = subprocess.PIPE if is_piped else file
        streams = {"stdin": subprocess.DEVNULL, "stdout": output, "stderr": subprocess.STDOUT}
        done = subprocess.run(command, env=env, check=False, timeout=PATIENCE, **streams)
        file.seek(0)
        said = ((done.stdout or b"") + file.read()).decode(errors="replace")
    if done.returncode != 0 or "modules are well" not in said:
        raise Wrong(f"it ended with {done.returncode}, and said {said[-3000:]}")


class Extension:
    """A process and its pipes, which is ended when it takes too long. Its stderr is a file, or a pipe."""

    def __init__(self, command, env, is_piped=False):
        self.stderr = tempfile.TemporaryFile()
        self.copying = None
        if is_piped:
            self.copying = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=self.stderr)
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        pipes["stderr"] = self.copying.stdin if self.copying else self.stderr
        self.child = subprocess.Popen(command, env=env, **pipes)
        if self.copying:
            self.copying.stdin.close()
        self.timer = threading.Timer(PATIENCE, self.child.kill)
        self.timer.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.timer.cancel()
        self.child.kill()
        self.child.communicate()
        if self.copying:
            self.copying.wait()
        self.stderr.close()

    def begin(self):
        """Greets it, and takes in what it offers."""
        self.expect("hello")
        self.send(ACK)
        while self.read()["type"] != "ready":
            pass

    def send(self, frame):
        self.child.stdin.write(json.dumps(frame).encode() + b"\n")
        self.child.stdin.flush()

    def read(self):
        line = self.child.stdout.readline()
        try:
            return json.loads(line)
        except ValueError:
            raise Wrong(f"{line[:200]!r} came in the place of a frame") from None

    def expect(self, kind):
        frame = self.read()
        if frame["type"] != kind:
            raise Wrong(f"{kind} did not come, but {str(frame)[:200]}")
        return frame

    def call(self, name, **args):
        """The text that a tool answers with."""
        self.send({"type": "tool_call", "id": name, "name": name, "args": args})
        return self.expect("tool_result")["content"][0]["text"]

    def ask(self, method, **params):
        """The result of a request of MCP's."""
        self.send({"jsonrpc": "2.0", "id": method, "method": method, "params": params})
        while (answer := self.read()).get("id") != method:
            pass
        if "result" not in answer:
            raise Wrong(f"{method} was answered with {answer}")
        return answer["result"]

    def end(self, keeps_open):
        """Waits for the end of the process, which the end of its input brings or which is near. What is on stderr."""
        if not keeps_open:
            self.child.stdin.close()
            self.child.stdin = None
        rest = self.child.stdout.read()
        if rest or self.child.wait() != 0:
            raise Wrong(f"it ended with {self.child.returncode}, and said {rest[:200]!r} before")
        if self.copying:
            self.copying.wait()
        self.stderr.seek(0)
        return self.stderr.read().decode(errors="replace")
