"""The process of an extension under host.py: its start, its pipes, its end."""

import json
import os
import queue
import signal
import subprocess
import threading
import time

from host_basics import LIMIT, Failure, broken


class Process:
    def __init__(self, host, folder):
        self.host, self.folder = host, folder
        self.state, self.problem = "starting", None
        self.words = b""
        self.outgoing = queue.Queue()
        self.process = None
        self.reads = 0

    def start(self):
        exec_ = self.manifest["exec"]
        folder = self.folder
        if broken("folders-without-spaces"):
            folder = folder.split()[0]
        if broken("follows-no-link") and os.path.islink(folder):
            return self.fail(f"{folder} is no folder")
        try:
            self.process = subprocess.Popen(
                [exec_, *self.manifest.get("args", [])], cwd=folder, bufsize=0,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                start_new_session=True)
        except OSError as error:
            exec_ = "it" if broken("names-no-program") else exec_
            self.fail(f"{exec_} cannot be started: {error.strerror}")
            return
        self.guardian = None
        if not broken("leaves-orphans"):
            script = 'read -r x && exit; kill -TERM -$1; sleep 1; kill -KILL -$1'
            self.guardian = subprocess.Popen(
                ["/bin/sh", "-c", script, "sh", str(self.process.pid)], stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        self.drainer = threading.Thread(target=self.drain, daemon=True)
        self.drainer.start()
        threading.Thread(target=self.write_all, daemon=True).start()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    # What goes to it.

    def send(self, frame):
        line = json.dumps(frame, ensure_ascii=False, separators=(",", ":"))
        if broken("writes-keys-twice") and frame["type"] == "tool_call":
            line = '{"id":"x",' + line[1:]
        line = line.encode("latin-1" if broken("writes-latin-1") and "ü" in line else "utf-8", "replace")
        if broken("writes-bom") and frame["type"] == "tool_call":
            line = b"\xef\xbb\xbf" + line
        end = b"\r\n" if broken("writes-crlf") else b"\n"
        if broken("writes-blank-lines"):
            end += b"\n"
        if broken("writes-block") or broken("one-writer-for-all"):
            with self.host.writing:
                self.put(line + end)
        else:
            self.outgoing.put(line + end)

    def put(self, data):
        while data:
            data = data[os.write(self.process.stdin.fileno(), data):]

    def write_all(self):
        while True:
            data = self.outgoing.get()
            try:
                if data is None:
                    self.process.stdin.close()
                    return
                self.put(data)
            except (OSError, ValueError):
                return

    # What comes from it.

    def drain(self):
        if broken("never-reads-stderr"):
            return
        while True:
            data = os.read(self.process.stderr.fileno(), 65536)
            if not data:
                return
            self.words = (self.words + data)[-2000:]

    def read(self):
        buffer, first = b"", True
        while True:
            try:
                data = os.read(self.process.stdout.fileno(), 262144)
            except OSError:
                data = b""
            if not data:
                break
            self.reads += 1
            if broken("first-read-is-hello") and first:
                self.handle(data.split(b"\n")[0])
                first = False
                continue
            first = False
            if broken("a-read-is-a-line") and self.state == "ready":
                self.handle(data)
                continue
            fresh = len(buffer)
            buffer += data
            limit = 65536 if broken("small-lines-only") else LIMIT
            while (end := buffer.find(b"\n", fresh)) >= 0:
                line, buffer, fresh = buffer[:end], buffer[end + 1:], 0
                if len(line) > limit:
                    if broken("long-line-ends-it"):
                        return self.fail("a line that is too long")
                    self.too_long(line)
                else:
                    self.handle(line)
        self.died()

    def died(self):
        if broken("waits-for-the-dead"):
            return
        if broken("ignores-closed-stdout") and self.process.poll() is None:
            return
        if self.state in ("ending", "ended"):
            return
        try:
            status = self.process.wait(0.3)
        except subprocess.TimeoutExpired:
            status = "no status: its stdout ended and it runs on"
        # Its stderr has ended too, unless somebody else holds it.
        self.drainer.join(1)
        words = "" if broken("keeps-last-words") else self.words.decode("utf-8", "replace")
        status = "unknown" if broken("hides-the-status") else status
        self.fail(f"it ended, status {status}; its last words: {words}")

    # Its end.

    def kill(self, number):
        try:
            if broken("ends-only-the-leader"):
                self.process.send_signal(number)
            else:
                os.killpg(self.process.pid, number)
        except (ProcessLookupError, PermissionError):
            pass

    def end(self):
        if self.process is None or self.state == "failed":
            return
        self.state = "ending"
        if not broken("closes-without-shutdown"):
            self.send({"type": "shutdown"})
        self.outgoing.put(None)
        steps = [(2, signal.SIGTERM), (1, signal.SIGKILL)]
        if broken("terms-at-once"):
            steps = [(0, signal.SIGTERM), (1, signal.SIGKILL)]
        if broken("kills-at-once"):
            steps = [(0.2, signal.SIGKILL)]
        if broken("never-kills"):
            steps = [(2, signal.SIGTERM)]
        for seconds, number in steps:
            try:
                self.process.wait(seconds)
            except subprocess.TimeoutExpired:
                self.kill(number)
        if not broken("never-kills"):
            self.process.wait(5)
        if not broken("ends-only-the-leader"):
            self.kill(signal.SIGKILL)
        self.state = "ended"
        for pending in list(self.pending.values()):
            pending.give(Failure("transient", "the host ends"))

    def let_go(self):
        if self.process and self.guardian:
            self.guardian.stdin.write(b"\n")
            self.guardian.stdin.close()
