"""The example repo-assistant-python in a real git repository: under the host, over MCP, and what becomes of its key."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from program import ROOT, run

EXAMPLE = ROOT / "examples" / "repo-assistant-python"
KEY = "swordfish-7-of-the-sea"
GIT = ("--allow", "exec.run(git%20*)")


class Forge(BaseHTTPRequestHandler):
    """Opens change requests for whoever has the key."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        has_key = self.headers["authorization"] == f"Bearer {KEY}"
        self.server.opened.append(body)  # type: ignore[attr-defined]
        answer = json.dumps({"url": f"https://forge.example/{body['head']}"}).encode()
        self.send_response(201 if has_key else 401)
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def forge() -> Iterator[HTTPServer]:
    server = HTTPServer(("127.0.0.1", 0), Forge)
    server.opened = []  # type: ignore[attr-defined]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()


class Scene:
    """A repository on a branch, with a change, and the home of a person who works there."""

    def __init__(self, folder: Path, forge: HTTPServer) -> None:
        self.repository, self.home = folder / "repository", folder / "home"
        self.repository.mkdir()
        self.url = f"http://127.0.0.1:{forge.server_port}"
        self.said: list[str] = []
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.name", "Ada")
        self.git("config", "user.email", "ada@example.com")
        self.write("notes.txt", "one\n")
        self.git("add", ".")
        self.git("commit", "-q", "-m", "Begin")
        self.git("checkout", "-q", "-b", "second")
        self.write("notes.txt", "one\ntwo\n")
        self.write("a new file.txt", "new\n")

    def write(self, name: str, text: str) -> None:
        (self.repository / name).write_text(text)

    def git(self, *args: str) -> str:
        alone = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull}
        done = subprocess.run(
            ["git", *args], cwd=self.repository, env=alone, capture_output=True, text=True, check=True
        )
        return done.stdout

    def run(self, *args: str | Path, typed: str = "") -> subprocess.CompletedProcess[str]:
        done = run("extline", *args, home=self.home, typed=typed, folder=self.repository)
        self.said += [done.stdout, done.stderr]
        return done

    def call(self, tool: str, args: object, *options: str) -> subprocess.CompletedProcess[str]:
        named = ("--session", "monday", *GIT, *options)
        return self.run("call", *named, EXAMPLE, tool, json.dumps(args))

    def set_up(self) -> None:
        assert self.run("config", EXAMPLE, "forge_url", self.url).returncode == 0
        assert self.run("secret", "set", "repo-assistant", "forge_token", typed=f"{KEY}\n").returncode == 0

    def assert_key_is_nowhere(self) -> None:
        assert not [text for text in self.said if KEY in text]
        for path in self.home.rglob("*"):
            assert not path.is_file() or KEY.encode() not in path.read_bytes(), path


@pytest.fixture
def scene(tmp_path: Path, forge: HTTPServer) -> Scene:
    return Scene(tmp_path, forge)


def test_what_is_missing_is_said_with_its_command_and_then_it_works(scene: Scene, forge: HTTPServer) -> None:
    inspected = scene.run("inspect", EXAMPLE)
    refused = scene.call("repo_status", {})
    for done in (inspected, refused):
        text = done.stdout + done.stderr
        assert done.returncode != 0 and "forge_token" in text and "forge_url" in text, text
        assert "extline secret set repo-assistant forge_token" in text, text
        assert "extline config " in text and " forge_url VALUE" in text, text
    scene.set_up()

    assert scene.run("inspect", EXAMPLE).returncode == 0
    assert json.loads(scene.call("repo_status", {}).stdout)["branch"] == "second"
    trace, audit = scene.home / "trace.jsonl", scene.home / "audit.jsonl"
    written = ("--trace", str(trace), "--redact", "--audit", str(audit))
    opened = scene.call("repo_request", {"title": "Second"}, "--answer", "confirm=yes", *written)
    assert opened.stdout == "https://forge.example/second\n", opened
    assert forge.opened == [{"title": "Second", "head": "second", "base": "main"}]  # type: ignore[attr-defined]
    assert "secret.get" in trace.read_text() and "forge_token" in audit.read_text()
    scene.run("config", EXAMPLE)
    scene.run("secret", "list")
    scene.assert_key_is_nowhere()


def test_it_commits_when_the_person_says_so_with_the_notes_of_the_conversation(scene: Scene) -> None:
    scene.set_up()
    status = json.loads(scene.call("repo_status", {}).stdout)
    assert status["changes"] == [{"path": "notes.txt", "state": "M"}, {"path": "a new file.txt", "state": "??"}]
    assert [commit.partition(" ")[2] for commit in status["commits"]] == ["Begin"]
    assert scene.call("repo_note", {"text": "count on"}).stdout == "- count on\n"
    assert scene.call("repo_note", {"text": "keep a file"}).stdout == "- count on\n- keep a file\n"

    kept = scene.call("repo_commit", {"subject": "Count"}, "--answer", "confirm=no")
    assert kept.stdout == "not committed: the person does not want it\n"
    assert scene.call("repo_commit", {"subject": "Count"}).stdout == kept.stdout, "nobody is there to be asked"
    made = scene.call("repo_commit", {"subject": "Count", "paths": ["notes.txt"]}, "--answer", "confirm=yes")
    assert made.stdout.endswith(" Count\n"), made
    assert scene.git("log", "-1", "--format=%B").strip() == "Count\n\n- count on\n- keep a file"
    left = json.loads(scene.call("repo_status", {}).stdout)
    assert (left["changes"], left["notes"]) == ([{"path": "a new file.txt", "state": "??"}], [])
    nothing = scene.call("repo_commit", {"subject": "Again", "paths": ["notes.txt"]}, "--answer", "confirm=yes")
    assert nothing.returncode == 1 and "nothing has changed" in nothing.stderr, nothing
    unallowed = scene.run("call", EXAMPLE, "repo_status", "{}")
    assert unallowed.returncode == 1 and "git" in unallowed.stderr, unallowed


def test_edits_are_shown_and_written_once_somebody_says_so(scene: Scene) -> None:
    scene.set_up()

    def at_the_prompt(*lines: str) -> str:
        done = scene.run("run", *GIT, "--view", "always", EXAMPLE, typed="\n".join([*lines, ":quit"]) + "\n")
        return done.stdout + done.stderr

    def text() -> str:
        return (scene.repository / "notes.txt").read_text()

    replace = '!repo_replace {"old": "two", "new": "2"}'
    shown = at_the_prompt(replace, ":pending")
    assert "-two" in shown and "+2" in shown and "1 file: two becomes 2" in shown, shown
    assert text() == "one\ntwo\n", "nothing is written before somebody says so"
    assert "wrote 1 file" in at_the_prompt(replace, ":resolve apply as shown")
    assert text() == "one\n2\n"
    scene.write("notes.txt", "one\ntwo\n")
    at_the_prompt(replace, ":resolve discard")
    assert text() == "one\ntwo\n"
    missing = scene.call("repo_replace", {"old": "nowhere", "new": ""})
    assert missing.returncode == 1 and "no file has 'nowhere'" in missing.stderr, missing


def test_a_request_needs_a_branch_of_its_own_and_a_key_that_the_forge_takes(scene: Scene) -> None:
    scene.set_up()
    scene.run("secret", "set", "repo-assistant", "forge_token", typed="another-key\n")
    refused = scene.call("repo_request", {"title": "Second"}, "--answer", "confirm=yes")
    assert refused.returncode == 1 and "does not take the key" in refused.stderr, refused
    assert "extline secret set repo-assistant forge_token" in refused.stderr, refused
    scene.git("checkout", "-q", "main")
    on_main = scene.call("repo_request", {"title": "Second"}, "--answer", "confirm=yes")
    assert "main is the branch that is to be changed" in on_main.stderr, on_main


def test_its_guard_sees_what_every_tool_does(start) -> None:
    peer = start(EXAMPLE / "assistant.py")

    def blocked(tool: str, args: object) -> bool:
        asked = {"event": "tool_call", "phase": "guard", "tool_id": "t", "tool_name": tool, "tool_args": args}
        peer.send({"type": "event_intercept", "id": tool, **asked})
        return peer.next("event_intercept_response").get("block", False)

    assert blocked("exec.run", {"command": "git", "args": ["push", "--force"]})
    assert blocked("bash", {"command": "git push -f origin main"})
    assert not blocked("exec.run", {"command": "git", "args": ["push", "--force-with-lease"]})
    assert not blocked("bash", {"command": "rm -f push"})
    assert peer.shut_down() == 0


def test_over_mcp(scene: Scene) -> None:
    scene.set_up()
    calls = [("repo_note", {"text": "by MCP"}), ("repo_status", {}), ("repo_commit", {"subject": "Count"})]
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    asked = [("initialize", hello), *(("tools/call", {"name": name, "arguments": args}) for name, args in calls)]
    lines = [json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
             for id, (method, params) in enumerate(asked)]
    lines.insert(1, json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}))
    served = scene.run("mcp", *GIT, "--answer", "confirm=yes", EXAMPLE, typed="\n".join(lines) + "\n")
    answers = {answer["id"]: answer["result"] for answer in map(json.loads, served.stdout.splitlines()) if "id" in answer}
    assert answers[1]["content"][0]["text"] == "- by MCP", served
    assert answers[2]["structuredContent"]["branch"] == "second", served
    assert answers[3]["content"][0]["text"].endswith(" Count"), served
    scene.assert_key_is_nowhere()


def test_it_conforms_at_the_level_of_an_sdk(tmp_path: Path) -> None:
    outcome = run("extline", "conformance", "--level", "sdk", EXAMPLE, home=tmp_path)
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
