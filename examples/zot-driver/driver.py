#!/usr/bin/env python3
"""A driver of a real zot, for `extline conformance host`: driver.py ZOT

It runs `zot rpc` with the extensions of a case, and is its model: a server on this machine that
asks for what the tester wants called. What zot shows only on its screen is unsupported.
docs/tester/hosts.md says what a driver is asked."""

import ctypes
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

OWN_TOOLS = {"read", "write", "edit", "bash", "skill"}
OWN_COMMANDS = {"help", "clear", "compact", "exit", "model", "sessions", "skills"}
ON_SCREEN = "only the screen of a zot has {}"
# What zot tells the model, and what it means.
MEANINGS = {
    "timeout waiting": "timeout", "context canceled": "cancelled",
    "no extension registered": "not_found", "unknown tool": "not_found",
}


class Unsupported(Exception):
    """The host has nothing of the kind."""


class Model:
    """What zot takes for a model: it says what it is told to, once, and then that it is done."""

    def __init__(self):
        self.asked, self.says = {"tools": []}, None
        model = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                model.asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
                says, model.says = model.says or {"type": "text", "text": "done"}, None
                self.send_response(200)
                self.send_header("content-type", "text/event-stream")
                self.end_headers()
                for event in model.events(says):
                    text = f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"
                    self.wfile.write(text.encode())

            def log_message(self, *_):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, daemon=True).start()

    @staticmethod
    def events(says):
        """A message of one block, as Anthropic's models stream it."""
        usage = {"input_tokens": 1, "output_tokens": 1}
        yield {"type": "message_start", "message": {"usage": usage}}
        if says["type"] == "text":
            block, delta = {**says, "text": ""}, {"type": "text_delta", "text": says["text"]}
        else:
            block = {"type": "tool_use", "id": "toolu_1", "name": says["name"], "input": {}}
            delta = {"type": "input_json_delta", "partial_json": says["args"]}
        yield {"type": "content_block_start", "index": 0, "content_block": block}
        yield {"type": "content_block_delta", "index": 0, "delta": delta}
        yield {"type": "content_block_stop", "index": 0}
        reason = "end_turn" if says["type"] == "text" else "tool_use"
        yield {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage}
        yield {"type": "message_stop"}


class Zot:
    """One `zot rpc`, and what it tells."""

    def __init__(self, program, request):
        self.model, self.home = Model(), pathlib.Path(request["home"])
        self.manifests = [
            (folder, json.loads(pathlib.Path(folder, "extension.json").read_text("utf-8")))
            for folder in request["extensions"]]
        words = [program, "rpc", "--provider", "anthropic", "--model", "claude-sonnet-4-5",
                 "--api-key", "none", "--base-url", self.model.url, "--no-skill", "--no-ext",
                 "--cwd", request["cwd"]]
        for folder in request["extensions"]:
            words += ["--ext", folder]
        environment = {"PATH": os.environ.get("PATH", ""), "HOME": str(self.home),
                       "ZOT_HOME": str(self.home), "HTTPS_PROXY": "http://127.0.0.1:9"}
        self.process = subprocess.Popen(
            words, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, preexec_fn=die_with_parent)
        self.notes, self.stderr = [], []
        # A turn at a time: whoever holds `turn` has asked for it, and hears what comes of it.
        self.turn, self.calling = threading.Lock(), threading.Lock()
        self.events, self.news = [], threading.Condition()
        threading.Thread(target=self.read, daemon=True).start()
        threading.Thread(target=self.read_stderr, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            event = json.loads(line)
            with self.news:
                if event["type"] == "ext_notify":
                    self.notes.append({"what": "note", "extension": event["extension"],
                                       "text": event["message"]})
                self.events.append(event)
                self.news.notify_all()
        with self.news:
            self.events.append({"type": "gone"})
            self.news.notify_all()

    def read_stderr(self):
        for line in self.process.stderr:
            self.stderr.append(line.decode("utf-8", "replace").strip())

    def ask(self, **request):
        self.process.stdin.write(json.dumps({"id": "1", **request}).encode() + b"\n")
        self.process.stdin.flush()

    def wait(self, kind, start=0):
        """The first event of that type from there on."""
        def found():
            return next((one for one in self.events[start:]
                         if one["type"] in (kind, "gone", "done")), None)
        with self.news:
            self.news.wait_for(found)
            return found()

    def play(self, says, kind, ended):
        """Has the model say that in a turn of its own; gives what the turn brings of that type. The
        turn may go on behind it, until `ended` is called."""
        with self.turn:
            start = len(self.events)
            self.model.says = says
            self.ask(type="prompt", message="go on")
            found = self.wait(kind, start)
            ended(found)
            self.wait("done", start)
        return found

    def call(self, request, ended):
        if not self.calling.acquire(blocking=False):
            raise Unsupported("a zot runs one call after the other")

        def answered(event):
            # The turn goes on behind it; whoever calls next waits for its end.
            self.calling.release()
            ended(outcome(event))
        says = {"type": "tool", "name": request["tool"], "args": request["args"]}
        self.play(says, "tool_result", answered)

    def tools(self):
        if self.turn.acquire(blocking=False):
            self.turn.release()
            self.play(None, "done", lambda _: None)
        names = [manifest["name"] for _, manifest in self.manifests]
        # Whose tool it is a model is not told.
        owner = {"extension": names[0]} if len(names) == 1 else {}
        return [{"name": tool["name"], "schema": tool.get("input_schema"), **owner}
                for tool in self.model.asked["tools"] if tool["name"] not in OWN_TOOLS]

    def extensions(self):
        """What is known of each: the line at its start, and its log."""
        found = []
        for folder, manifest in self.manifests:
            loads = [line for line in self.stderr if f"extension load: {folder}" in line]
            path = self.home / "logs" / f"ext-{manifest['name']}.log"
            log = path.read_text("utf-8", "replace")[-4000:] if path.exists() else ""
            ended = "read loop exited" in log
            problem = loads[-1] if loads else log if ended else None
            found.append({"name": manifest["name"], "state": "failed" if problem else "ready",
                          "problem": problem})
        return found

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def die_with_parent():
    """zot is ended with its driver, also when that is killed (Linux)."""
    pr_set_pdeathsig = 1
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)


def outcome(event):
    """What the model is told, as a driver says it."""
    if event["type"] != "tool_result":
        return {"error": {"kind": "internal", "message": f"the turn ended without a result: {event}"}}
    content = event.get("content") or []
    text = "".join(block.get("text", "") for block in content)
    if event.get("is_error") and (" failed: " in text or "unknown tool" in text):
        kinds = (kind for words, kind in MEANINGS.items() if words in text)
        return {"error": {"kind": next(kinds, "transient"), "message": text}}
    return {"result": {"content": content, "is_error": bool(event.get("is_error"))}}


class Driver:
    def __init__(self, program):
        self.program, self.zot = program, None
        self.printing = threading.Lock()

    def say(self, number, **answer):
        with self.printing:
            print(json.dumps({"id": number, **answer}), flush=True)

    def serve(self):
        for line in sys.stdin:
            request = json.loads(line)
            if request["op"] == "start":
                # In this thread: zot lives as long as the one that started it.
                self.answer(request, self.start)
            else:
                op = getattr(self, "op_" + request["op"], self.unknown)
                threading.Thread(target=self.answer, args=[request, op], daemon=True).start()
        if self.zot:
            self.zot.process.kill()
        os._exit(0)

    def answer(self, request, op):
        said = []

        def ended(value):
            said.append(value)
            self.say(request["id"], ok=value)
        try:
            op(request, ended)
        except Unsupported as error:
            self.say(request["id"], unsupported=str(error))
        except Exception as error:  # Whatever it is, the tester wants to know.
            if not said:
                self.say(request["id"], error=f"{type(error).__name__}: {error}")

    def start(self, request, ended):
        if request.get("deadlines"):
            raise Unsupported("the deadlines of a zot are fixed")
        if not OWN_TOOLS.issuperset(request.get("builtin_tools", [])):
            raise Unsupported("a zot has tools of its own")
        if not OWN_COMMANDS.issuperset(request.get("builtin_commands", [])):
            raise Unsupported("a zot has commands of its own")
        self.zot = Zot(self.program, request)
        threading.Thread(target=self.started, args=[ended], daemon=True).start()

    def started(self, ended):
        self.zot.ask(type="ping")
        self.zot.wait("response")
        ended(None)

    def op_extensions(self, _, ended):
        ended(self.zot.extensions())

    def op_tools(self, _, ended):
        ended(self.zot.tools())

    def op_call(self, request, ended):
        self.zot.call(request, ended)

    def op_cancel(self, _, ended):
        self.zot.ask(type="abort")
        ended(True)

    def op_intercept(self, request, ended):
        if request["event"] != "assistant_message":
            raise Unsupported(f"{request['event']} is asked about in a turn alone")
        says = {"type": "text", "text": request["text"]}

        def heard(event):
            blocks = event.get("content", [])
            text = "".join(block.get("text", "") for block in blocks)
            blocked = {"blocked": event.get("error", "")}
            ended({"text": text} if event["type"] == "assistant_message" else blocked)
        self.zot.play(says, "assistant_message", heard)

    def op_told(self, _, ended):
        loads = [{"what": "problem", "extension": manifest["name"], "text": line}
                 for folder, manifest in self.zot.manifests for line in self.zot.stderr
                 if f"extension load: {folder}" in line]
        ended(self.zot.notes + loads)

    def op_stop(self, _, ended):
        self.zot.end()
        ended(None)

    def op_event(self, *_):
        raise Unsupported("the events of a zot are those of its own turns")

    def op_commands(self, *_):
        raise Unsupported(ON_SCREEN.format("commands"))

    op_command = op_commands

    def op_panels(self, *_):
        raise Unsupported(ON_SCREEN.format("panels"))

    op_panel = op_panels

    def op_reload(self, *_):
        raise Unsupported(ON_SCREEN.format("/reload-ext"))

    def unknown(self, request, _):
        raise Unsupported(f"there is no op {request['op']}")


if len(sys.argv) != 2:
    sys.exit("usage: driver.py ZOT, a zot's program; the tester starts it: "
             "extline conformance host --driver python3 driver.py ZOT")
Driver(sys.argv[1]).serve()
