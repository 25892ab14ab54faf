"""A small client of MCP with its driver (docs/tester/mcp-clients.md), which shares no code with the tester's own.
`mcp_client.py NAME` is wrong in one way on purpose; without a name it is right.
"""

import json
import os
import signal
import subprocess
import sys
import threading
import time

VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26"]
MODERN = "2026-07-28"
ME = {"name": "client", "version": "1.0.0"}
META = "io.modelcontextprotocol/"
# Seconds that a server has to end by itself, and then by SIGTERM.
GRACE = 2


def broken(name):
    return sys.argv[1:] == [name]


class Failed(Exception):
    pass


class Server:
    """One server, from its start to its end."""

    def __init__(self, told):
        self.told, self.name = told, told["name"]
        self.start()

    def start(self):
        self.state, self.problem, self.modern = "starting", None, False
        self.waiting, self.tools, self.count = {}, [], 0
        self.lock = threading.Lock()
        command, pipe = [self.told["command"], *self.told["args"]], subprocess.PIPE
        self.process = subprocess.Popen(command, bufsize=0, stdin=pipe, stdout=pipe, stderr=pipe)
        if broken("lends-the-pipe"):
            subprocess.Popen(["sleep", "20"], pass_fds=[self.process.stdin.fileno()],
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if not broken("stderr-unread"):
            threading.Thread(target=self.process.stderr.read, daemon=True).start()
        threading.Thread(target=self.read, daemon=True).start()

    def restart(self):
        self.start()
        if broken("restarts-in-the-midst"):
            self.state = "ready"
        else:
            self.greet()

    # What goes out.

    def send(self, message):
        line = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False).encode() + b"\n"
        line += b"\n" if broken("writes-blank-lines") else b""
        try:
            with self.lock:
                while line:
                    line = line[os.write(self.process.stdin.fileno(), line):]
        except (OSError, ValueError):
            pass

    def ask(self, method, params, seconds=30, begun=None):
        """The result of a request; Failed with what went wrong."""
        with self.lock:
            self.count += 0 if broken("ids-again") and method == "tools/call" else 1
            id_ = self.count
        entry = {"done": threading.Event(), "params": params}
        self.waiting[id_] = entry
        if begun:
            begun(self, id_, entry)
        if self.modern and not broken("without-meta") or method == "server/discover":
            meta = {META + "protocolVersion": MODERN, META + "clientInfo": ME, META + "clientCapabilities": {}}
            params = {**params, "_meta": meta}
        wrong = broken("params-in-a-list") and method == "tools/list"
        self.send({"id": id_, "method": method, "params": [params] if wrong else params})
        if self.state in ("ended", "failed") and not broken("waits-for-the-dead"):
            entry["done"].set()
        entry["done"].wait(None if broken("waits-for-ever") else seconds)
        if not broken("late-is-the-next"):
            self.waiting.pop(id_, None)
        if entry.get("given-up"):
            raise Failed("it was given up")
        if "answer" not in entry:
            if self.state in ("ended", "failed"):
                raise Failed("the server has ended")
            if not broken("ends-in-silence"):
                self.give_up(id_)
            raise Failed("its time is over")
        answer = entry["answer"]
        if "error" in answer:
            raise Failed(answer["error"].get("message", "an error"))
        return answer["result"]

    def give_up(self, id_):
        if not broken("cancels-in-silence"):
            self.send({"method": "notifications/cancelled", "params": {"requestId": id_, "reason": "not wanted"}})

    def greet(self):
        try:
            self.modern = self.discovers()
            if self.modern:
                self.state = "ready"
                return self.list()
            me = {} if broken("without-client-info") else {"clientInfo": ME}
            if broken("asks-early"):
                threading.Timer(0.05, self.list).start()
            hello = self.ask("initialize", {"protocolVersion": VERSIONS[0], "capabilities": {}, **me})
            if hello.get("protocolVersion") not in VERSIONS and not broken("takes-any-version"):
                raise Failed(f"the server speaks {hello.get('protocolVersion')}")
            if not broken("without-initialized"):
                self.send({"method": "notifications/initialized"})
            if broken("writes-words"):
                os.write(self.process.stdin.fileno(), b"hello\n")
            self.state = "ready"
            self.list()
        except Failed as error:
            self.state, self.problem = "failed", str(error)
            if broken("refusal-is-readiness") or broken("dead-is-ready"):
                self.state = "ready"
            self.close()

    def discovers(self):
        """Whether the server speaks the newer revision."""
        try:
            found = self.ask("server/discover", {})
        except Failed:
            if broken("no-fall-back") or self.state in ("ended", "failed"):
                raise
            return False
        return MODERN in found.get("supportedVersions", []) and not broken("initializes-anyway")

    def list(self):
        tools, cursor = [], None
        while True:
            page = self.ask("tools/list", {"cursor": cursor} if cursor else {})
            tools += page["tools"]
            cursor = page.get("nextCursor")
            if not cursor or broken("first-page-only"):
                break
        self.tools = tools

    # What comes in.

    def read(self):
        if broken("reads-are-messages"):
            while data := os.read(self.process.stdout.fileno(), 65536):
                for line in data.splitlines():
                    self.take(line)
        else:
            for line in open(self.process.stdout.fileno(), "rb", closefd=False):
                most = {"short-lines-only": 1 << 20, "medium-lines-only": 10_000_000}
                if len(line) <= most.get("".join(sys.argv[1:]), len(line)):
                    self.take(line)
                if self.state == "deaf":
                    return
        if self.state == "ready" or self.state == "starting":
            self.state, self.problem = "ended", "the server has ended"
        if not broken("waits-for-the-dead"):
            for entry in list(self.waiting.values()):
                entry["done"].set()

    def take(self, line):
        try:
            message = json.loads(line)
        except ValueError:
            message = None
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            if broken("dies-of-words"):
                self.state = "deaf"
            return
        if "method" in message:
            return self.asked(message) if "id" in message else self.noted(message["method"])
        self.answered(message)

    def asked(self, message):
        if message["method"] == "ping":
            if not broken("ping-unanswered"):
                self.send({"id": message["id"], "result": {}})
        elif not broken("unknown-unanswered"):
            self.send({"id": message["id"], "error": {"code": -32601, "message": "Method not found"}})

    def noted(self, method):
        is_change = method == "notifications/tools/list_changed"
        if broken("ends-at-changes") and is_change or broken("dies-of-notifications") and not is_change:
            self.state = "deaf"

    def answered(self, message):
        entry = self.waiting.get(message.get("id"))
        if broken("first-answer-first") and self.waiting or broken("late-is-the-next") and entry and "given-up" in entry:
            # Of those that wait, the one that has waited longest, or the next one that will.
            waiting = [one for one in self.waiting.values() if not one["done"].is_set()]
            entry = waiting[0] if waiting else None
            if entry is None:
                self.kept = message
                return
        if entry is None:
            if broken("dies-of-foreign-ids"):
                self.state = "deaf"
            return
        if "error" in message and broken("errors-are-no-answers"):
            return
        # The first one counts: a second may come before the caller has read it.
        entry.setdefault("answer", getattr(self, "kept", message))
        entry["done"].set()

    # Its end.

    def close(self):
        try:
            self.process.stdin.close()
        except OSError:
            pass

    def end(self):
        if broken("leaves-stdin-open"):
            self.process.terminate()
            self.process.wait()
        self.close()
        if broken("closes-only"):
            return
        for number in [None, signal.SIGTERM, signal.SIGKILL]:
            if number and not (broken("never-kills") and number == signal.SIGKILL):
                self.process.send_signal(number)
            try:
                self.process.wait(GRACE)
                return
            except subprocess.TimeoutExpired:
                pass


def at_once(tasks):
    threads = [threading.Thread(target=task) for task in tasks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return True


class Driver:
    """Operates the client: a request on a line of stdin, its answer on a line of stdout."""

    def __init__(self):
        self.servers, self.calls, self.printing = [], {}, threading.Lock()

    def serve(self):
        for line in sys.stdin:
            request = json.loads(line)
            if request["op"] == "call":
                # Noted before the next request, which may be its cancel.
                self.calls[request["id"]] = []
            threading.Thread(target=self.answer, args=[request], daemon=True).start()
        for server in self.servers:
            server.close()
        os._exit(0)

    def answer(self, request):
        act = getattr(self, "on_" + request["op"], None)
        said = {"ok": act(request)} if act else {"unsupported": f"there is no op {request['op']}"}
        with self.printing:
            sys.stdout.write(json.dumps({"id": request["id"], **said}) + "\n")
            sys.stdout.flush()

    def on_start(self, request):
        self.servers = [Server(told) for told in request["servers"]]
        return at_once(server.greet for server in self.servers)

    def on_servers(self, _):
        return [{"name": one.name, "state": one.state, "problem": one.problem} for one in self.servers]

    def on_tools(self, _):
        return [{"name": tool["name"], "server": one.name} for one in self.servers for tool in one.tools]

    def on_call(self, request):
        server = next(one for one in self.servers if one.name == request["server"])
        if server.state == "ended":
            server.restart()
        args = {} if broken("without-arguments") else json.loads(request["args"])
        begun = lambda *call: self.calls[request["id"]].append(call)
        try:
            params = {"name": request["tool"], "arguments": args}
            seconds = request.get("timeout_ms", 30000) / 1000
            result = server.ask("tools/call", params, seconds, begun)
            while result.get("resultType") == "input_required" and not result.get("inputRequests"):
                state = result["requestState"]
                again = {**params, "requestState": state.strip("=") if broken("changes-state") else state}
                result = server.ask("tools/call", again, seconds, begun)
        except Failed as error:
            return {"error": {"message": str(error)}}
        if not isinstance(result.get("content"), list):
            if broken("dies-of-odd-results"):
                os._exit(1)
            return {"error": {"message": "the result of the server has no content"}}
        told = {"content": result["content"], "is_error": bool(result.get("isError")) and not broken("error-is-success")}
        if "structuredContent" in result and not broken("without-structure"):
            told["structured_content"] = result["structuredContent"]
        return {"result": told}

    def on_cancel(self, request):
        until = time.monotonic() + 5
        while not self.calls.get(request["call"]) and time.monotonic() < until:
            time.sleep(0.01)
        for server, id_, entry in self.calls.get(request["call"], []):
            entry["given-up"] = True
            server.give_up(id_)
            entry["done"].set()
        return True

    def on_stop(self, _):
        return at_once(server.end for server in self.servers)


Driver().serve()
