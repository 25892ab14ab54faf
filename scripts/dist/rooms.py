"""Emptied environments: nothing on the path but what is named, a home of its own, no variables of this shell."""

import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from commands import ROOT, TOOLS, Failure, run, say

# Not in the clone: `extline new` takes the SDKs of a clone that its program lies in, and those are not what is tested.
# `make dist-test` removes it when all was well.
PLACE = Path(tempfile.mkdtemp(prefix="extline-dist-use-")).resolve()
# Seconds that a program may take; a machine that is busy, or emulated, is slow.
PATIENCE = 600
# How this machine reaches its registries, which is no part of what is emptied.
PASSED = ("PIP_", "NPM_CONFIG_", "SSL_", "NODE_EXTRA_CA_CERTS", "HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy")
PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14")
NODES = ("20.17", "22", "24")


class Room:
    """A folder to work in and what its path has, as `{name: program}`."""

    def __init__(self, name, programs):
        self.name = name
        self.folder = PLACE / name
        shutil.rmtree(self.folder, ignore_errors=True)
        self.bin = self.folder / "path"
        self.home = self.folder / "home"
        self.work = self.folder / "work"
        for folder in (self.bin, self.home, self.work):
            folder.mkdir(parents=True)
        for program, where in programs.items():
            (self.bin / program).symlink_to(where)
        self.env = {name: of for name, of in os.environ.items() if name.startswith(PASSED)}
        self.env.update(PATH=str(self.bin), HOME=str(self.home), LANG="C.UTF-8", TMPDIR=str(self.folder))
        config = Path.home() / ".npmrc"
        if config.is_file():
            self.env.setdefault("NPM_CONFIG_USERCONFIG", str(config))

    def script(self, name, text):
        """A program on the path that is written here."""
        (self.bin / name).write_text(f"#!{shutil.which('sh')}\n{text}\n")
        (self.bin / name).chmod(0o755)

    def run(self, *words, given=None, cwd=None):
        """What a program prints; one that fails, or prints for ever, is a failure."""
        program = shutil.which(str(words[0]), path=str(self.bin)) or str(words[0])
        command = [program, *map(str, words[1:])]
        shown = " ".join(map(str, words))
        try:
            done = subprocess.run(
                command, cwd=cwd or self.work, env=self.env, input=given, capture_output=True, text=True, timeout=PATIENCE
            )
        except subprocess.TimeoutExpired:
            raise Failure(f"{self.name}: {shown} has not ended after {PATIENCE} s") from None
        except FileNotFoundError:
            raise Failure(f"{self.name}: there is no {words[0]} on the path") from None
        if done.returncode != 0:
            raise Failure(f"{self.name}: {shown} failed with {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def expect(self, expected, *words, **options):
        """Fails unless that is what a program prints."""
        answer = self.run(*words, **options)
        if answer != expected:
            raise Failure(f"{self.name}: {' '.join(map(str, words))} printed {answer!r}, and not {expected!r}")


def use(room, extline, folder, mcp, skipped=()):
    """What an author does with an extension of `extline new`: call, command, MCP, conformance."""
    if str(ROOT) in (room.work / folder / "README.md").read_text():
        raise Failure(f"{room.name}: {folder} uses the SDK of the clone in {ROOT}, and not the package: set TMPDIR elsewhere")
    room.expect("Hello, you!\n", *extline, "call", folder, "greet", '{"who":"you"}')
    # As the README of the extension has it, with the first messages of a client written by hand.
    sent = [
        {
            "method": "initialize",
            "id": 1,
            "params": {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "by hand", "version": "1"},
            },
        },
        {"method": "notifications/initialized"},
        {"method": "tools/list", "id": 2},
    ]
    if mcp:
        lines = "".join(json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in sent)
        answers = [json.loads(line) for line in room.run(*mcp, given=lines, cwd=room.work / folder).splitlines()]
        named = [tool["name"] for answer in answers if answer.get("id") == 2 for tool in answer["result"]["tools"]]
        if named != ["greet"]:
            raise Failure(f"{room.name}: as an MCP server it lists {named}: {answers}")
    skip = [word for case in skipped for word in ("--skip", case)]
    room.run(*extline, "conformance", *skip, folder)


class Timed:
    """Times the commands that a newcomer types, and tells each."""

    def __init__(self, room):
        self.room = room
        self.took = []

    def __call__(self, *words, **options):
        began = time.monotonic()
        answer = self.room.run(*words, **options)
        self.took.append(time.monotonic() - began)
        return answer

    def tell(self):
        say(f"  {self.room.name}: {' + '.join(f'{took:.1f}' for took in self.took)} s to a working extension")


def pythons():
    """One interpreter for each version from 3.10 on that this machine has."""
    folders = [Path(folder) for folder in os.environ.get("PATH", "").split(os.pathsep)]
    folders += sorted(Path.home().glob(".pyenv/versions/*/bin"))
    found = {}
    for version in PYTHONS:
        for folder in folders:
            program = folder / f"python{version}"
            if version not in found and program.is_file() and "shims" not in folder.parts:
                found[version] = program
    return found


def nodes():
    """One Node for each version that is looked at, from npm's packages of Node itself; elsewhere the one on the path."""
    cpu = {"x86_64": "x64", "aarch64": "arm64"}.get(os.uname().machine)
    found = {}
    for version in NODES if os.uname().sysname == "Linux" else ():
        try:
            found[version] = node(version, cpu)
        except Failure as failure:
            say(f"  skipped: Node {version}, {str(failure).splitlines()[0]}")
    if not found:
        found["on the path"] = Path(shutil.which("node"))
    return found


def node(version, cpu):
    """A Node for Linux, unpacked from its package on npm."""
    folder = TOOLS / f"node-{version}-{cpu}"
    program = folder / f"node_modules/node-linux-{cpu}/bin/node"
    if not program.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text('{"private": true}\n')
        install = ["npm", "install", "--force", "--no-audit", "--no-fund", f"node-linux-{cpu}@~{version}"]
        run(f"Node {version} {cpu}", install, cwd=folder)
    return program
