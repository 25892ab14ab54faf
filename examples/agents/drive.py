#!/usr/bin/env python3
"""Agents themselves, headless, with a scripted model on the loopback and the extension `witness` installed by
`extline install`: what they do with its tool, guard, interceptor, events and command.

    examples/agents/drive.py                       every agent that is there
    examples/agents/drive.py --only claude --record
    examples/agents/drive.py --in DIR              where they are too, beside PATH

Nothing of the user's is read or written: each agent has a home of its own. --record writes what the agent said
to its hooks and what they answered to transcripts/, which `make test` plays again without the agent.
"""

import argparse
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from model import Model

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
WITNESS = HERE / "witness"
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
EXTLINE = TARGET / "debug/extline"
# An agent that takes longer hangs.
TIME = 180

# Between the agent and `extline`: a hook's event and answer are kept.
RECORDER = """#!/bin/sh
[ "$1" = hook ] || exec {extline} "$@"
kept={kept}/$(date +%s%N)
printf '%s\\n' "$@" >"$kept.words"
cat >"$kept.in"
{extline} "$@" <"$kept.in" >"$kept.out" 2>"$kept.err"
code=$?
echo "$code" >"$kept.code"
cat "$kept.out"
cat "$kept.err" >&2
exit "$code"
"""


@dataclass
class Agent:
    """How one is driven; `call` makes a step of the script that runs a shell command."""

    id: str
    program: str
    package: str
    shell: str
    argument: str
    tool: dict
    files: tuple
    # What it has to be told, and how it is told to run the command of the extension.
    words: tuple
    command: tuple = ()
    # How it takes the package of `extline package`: its folder, what is run before, words more, the tool's name.
    package_folder: str | None = None
    package_before: tuple = ()
    package_words: tuple = ()
    package_tool: str | None = None
    # What it does with arguments that an interceptor changed: it runs them, or is told that it cannot.
    rewritten: str = "rewritten"
    events: tuple = ("session_start", "user_prompt_submit", "tool_result")

    def call(self, line):
        return {"call": self.shell, "args": {self.argument: line, **self.more()}}

    def more(self):
        if self.id in ("codex", "pi"):
            return {}
        return {"description": "a test"} | ({"is_background": False} if self.id == "qwen" else {})

    def prepare(self, home, url):
        """Writes what the agent needs to reach the model; returns its environment."""
        if self.id == "claude":
            quiet = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "IS_SANDBOX": "1"}
            return {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "none", **quiet}
        if self.id == "codex":
            config = home / ".codex/config.toml"
            config.parent.mkdir()
            config.write_text(
                'model = "scripted"\nmodel_provider = "scripted"\n\n[model_providers.scripted]\n'
                f'name = "scripted"\nbase_url = "{url}/v1"\nwire_api = "responses"\n'
            )
            return {}
        if self.id == "opencode":
            config = home / ".config/opencode/opencode.json"
            config.parent.mkdir(parents=True)
            model = {"name": "scripted", "limit": {"context": 100000, "output": 1000}, "tool_call": True}
            options = {"baseURL": f"{url}/v1", "apiKey": "none"}
            provider = {"anthropic": {"options": options, "models": {"scripted": model}}}
            # Nothing is fetched: neither a newer version nor the list of models.
            config.write_text(json.dumps({"autoupdate": False, "share": "disabled", "provider": provider}))
            return {"OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_AUTOUPDATE": "1"}
        if self.id == "pi":
            config = home / ".pi/agent/models.json"
            config.parent.mkdir(parents=True)
            provider = {"baseUrl": url, "api": "anthropic-messages", "apiKey": "none", "models": [{"id": "scripted"}]}
            config.write_text(json.dumps({"providers": {"scripted": provider}}))
            return {}
        if self.id == "qwen":
            config = home / ".qwen/settings.json"
            config.parent.mkdir()
            config.write_text(json.dumps({"security": {"auth": {"selectedType": "anthropic"}}}))
            return {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "none", "ANTHROPIC_MODEL": "scripted"}
        if self.id == "copilot":
            provider = {"COPILOT_PROVIDER_BASE_URL": url, "COPILOT_PROVIDER_TYPE": "anthropic"}
            return {"COPILOT_OFFLINE": "true", "COPILOT_PROVIDER_API_KEY": "none", "COPILOT_MODEL": "scripted", **provider}
        settings = home / ".gemini/settings.json"
        settings.parent.mkdir()
        auth = {"security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}}}
        settings.write_text(json.dumps(auth))
        return {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": url}


AGENTS = (
    Agent(
        "claude",
        "claude",
        "@anthropic-ai/claude-code",
        "Bash",
        "command",
        {"call": "mcp__witness__testify"},
        (".claude/settings.json", ".claude.json"),
        ("-p", "PROMPT", "--allowedTools", "Bash(echo:*)", "mcp__witness__testify"),
        ("/mcp__witness__oath solemnly",),
        package_folder="claude",
        package_before=(("plugin", "validate", "PACKAGE"),),
        package_words=("--plugin-dir", "PACKAGE", "--allowedTools", "mcp__plugin_witness_witness__testify"),
        package_tool="mcp__plugin_witness_witness__testify",
    ),
    Agent(
        "opencode",
        "opencode",
        "opencode-ai",
        "bash",
        "command",
        {"call": "witness_testify"},
        (".config/opencode/plugins/extline.js", ".config/opencode/opencode.json"),
        ("run", "--model", "anthropic/scripted", "PROMPT"),
        ("--command", "witness:oath", "solemnly"),
    ),
    Agent(
        "pi",
        "pi",
        "@earendil-works/pi-coding-agent",
        "bash",
        "command",
        {"call": "mcp__witness__testify"},
        (".pi/agent/extensions/extline.js", ".pi/agent/mcp.json"),
        ("-p", "--offline", "--provider", "scripted", "--model", "scripted", "PROMPT"),
    ),
    Agent(
        "codex",
        "codex",
        "@openai/codex",
        "exec_command",
        "cmd",
        {"call": "testify", "namespace": "mcp__witness"},
        (".codex/hooks.json", ".codex/config.toml"),
        # A user trusts the hooks in /hooks; headless there is nobody who could.
        (
            "exec",
            "--skip-git-repo-check",
            "--dangerously-bypass-hook-trust",
            "--dangerously-bypass-approvals-and-sandbox",
            "PROMPT",
        ),
    ),
    Agent(
        "qwen",
        "qwen",
        "@qwen-code/qwen-code",
        "run_shell_command",
        "command",
        {"call": "mcp__witness__testify"},
        (".qwen/settings.json",),
        ("--yolo", "--auth-type", "anthropic", "--model", "scripted", "-p", "PROMPT"),
        # It would run what it had before: the call is blocked.
        rewritten="Qwen Code has no way to run it so",
        events=("user_prompt_submit", "tool_result"),
    ),
    Agent(
        "copilot",
        "copilot",
        "@github/copilot",
        "bash",
        "command",
        {"call": "witness-testify"},
        (".copilot/hooks/extline.json", ".copilot/mcp-config.json"),
        ("-p", "PROMPT", "--allow-all-tools"),
    ),
    Agent(
        "gemini",
        "gemini",
        "@google/gemini-cli",
        "run_shell_command",
        "command",
        {"call": "mcp_witness_testify"},
        (".gemini/settings.json",),
        # A model of its own choice would be chosen by asking another.
        ("--yolo", "--skip-trust", "--model", "gemini-2.5-pro", "-p", "PROMPT"),
        package_folder="gemini",
        package_before=(("extensions", "validate", "PACKAGE"), ("extensions", "link", "--consent", "PACKAGE")),
        package_tool="mcp_witness_testify",
    ),
)


class Run:
    """One agent in a home of its own."""

    def __init__(self, agent, program, folder, packaged=False):
        self.agent, self.program, self.packaged = agent, program, packaged
        self.home, self.project, self.kept = folder / "home", folder / "project", folder / "kept"
        self.extline_home = self.home / "extline"
        runtime = folder / "run"
        for made in (self.home, self.project, self.kept, self.extline_home, runtime):
            made.mkdir()
        variables = ("PATH", "LANG", "TERM")
        self.env = {name: os.environ[name] for name in variables if name in os.environ}
        self.env |= {
            "HOME": str(self.home),
            "XDG_RUNTIME_DIR": str(runtime),
            "EXTLINE_HOME": str(self.extline_home),
        }
        self.script = [
            agent.call("echo forbidden"),
            agent.call("echo original"),
            # The answer is in the result only where it ran.
            agent.call("echo questioned $((40 + 2))"),
            {**(self.tool() if packaged else agent.tool), "args": {"what": "everything"}},
            {**agent.call("echo forbidden again"), "before": self.kill},
            {"say": "done"},
        ]

    def see(self):
        """What came of it: a line for each thing, with whether it was as it should be."""
        model = Model(self.script)
        try:
            self.env |= self.agent.prepare(self.home, model.url)
            if self.packaged:
                more = self.install_package()
            else:
                more = self.install()
            ended = self.start(("go",), more)
            results = model.results()
            found = self.judge(results)
            if self.agent.command and not self.packaged:
                self.start(self.agent.command)
                found["command"] = model.was_told("I swear solemnly")
            if not all(found.values()):
                print(ended.stdout[-3000:], ended.stderr[-3000:], json.dumps(results, indent=2), sep="\n")
            return found, results
        finally:
            subprocess.run([EXTLINE, "hook", "--stop"], env=self.env, stdout=subprocess.DEVNULL, check=False)
            model.close()

    def install(self):
        words = [EXTLINE, "install", "--for", self.agent.id, WITNESS]
        subprocess.run(words, env=self.env, cwd=self.project, stdout=subprocess.DEVNULL, check=True)
        recorder = self.home / "extline.sh"
        recorder.write_text(RECORDER.format(extline=shlex.quote(str(EXTLINE)), kept=shlex.quote(str(self.kept))))
        recorder.chmod(0o755)
        for name in self.agent.files:
            file = self.home / name
            file.write_text(file.read_text().replace(str(EXTLINE), str(recorder)))
        return ()

    def tool(self):
        return {"call": self.agent.package_tool}

    def install_package(self):
        """Makes the package, as its author does, and gives it to the agent; returns words more."""
        packages = self.home / "packages"
        words = [EXTLINE, "package", "--out", packages, WITNESS]
        subprocess.run(words, env=self.env, stdout=subprocess.DEVNULL, check=True)
        # A package looks `extline` up.
        self.env["PATH"] = f"{EXTLINE.parent}{os.pathsep}{self.env['PATH']}"
        folder = str(packages / self.agent.package_folder)

        def filled(words):
            return [folder if word == "PACKAGE" else word for word in words]

        for words in self.agent.package_before:
            before = [self.program, *filled(words)]
            subprocess.run(before, env=self.env, cwd=self.project, capture_output=True, check=True)
        return filled(self.agent.package_words)

    def start(self, prompt, more=()):
        said = [word for it in self.agent.words for word in (prompt if it == "PROMPT" else (it,))]
        words = [*more, *said]
        # A process group of its own, so that nothing of it is left.
        process = subprocess.Popen(
            [self.program, *words],
            env=self.env,
            cwd=self.project,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        try:
            stdout, stderr = process.communicate(timeout=TIME)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            stdout, stderr = process.communicate()
            stderr += f"\nit did not end within {TIME} s"
        return subprocess.CompletedProcess(words, process.returncode, stdout, stderr)

    def told(self):
        file = self.extline_home / "data/witness/told.jsonl"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []

    def kill(self):
        """Kills the extension, the one behind the hooks and the one behind MCP."""
        for pid in {told["pid"] for told in self.told()}:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def judge(self, results):
        results = [*results, "", "", "", "", ""]
        events = {told["event"] for told in self.told()}
        return {
            "guard": "the witness forbids it" in results[0],
            "rewrite": self.agent.rewritten in results[1],
            # Headless nobody can say yes.
            "ask": results[2] != "" and "questioned 42" not in results[2],
            "tool": "testified everything" in results[3],
            "guard killed": "blocked by witness" in results[4],
            "events": set(self.agent.events) <= events,
        }

    def transcript(self, version, results):
        """What was said to hooks and answered, without names of this machine."""

        def plain(text):
            for path, name in ((self.project, "/home/ada/project"), (self.home, "/home/ada"), (WITNESS, "/home/ada/witness")):
                text = text.replace(str(path), name)
            # A folder of Claude Code has the project's path in its name.
            return text.replace(str(self.project).replace("/", "-"), "-home-ada-project")

        hooks, session = [], None
        for given in sorted(self.kept.glob("*.in")):
            stdout, code = given.with_suffix(".out"), given.with_suffix(".code")
            said = json.loads(plain(given.read_text()))
            session = session or said_session(said)
            # Of the first conversation; that of the command says nothing more.
            words = given.with_suffix(".words").read_text().splitlines()
            if "--event" in words:
                # Copilot CLI does not name it.
                said = {"--event": words[words.index("--event") + 1], **said}
            if code.exists() and said_session(said) == session:
                answer = {"stdout": plain(stdout.read_text()), "code": int(code.read_text())}
                hooks.append({"stdin": said, **answer})
        return {"agent": self.agent.id, "version": version, "hooks": hooks, "results": results}


def said_session(said):
    """The conversation of an event."""
    return said.get("session_id", said.get("sessionId"))


def main():
    options = arguments()
    if not EXTLINE.exists():
        sys.exit("there is no extline yet: cargo build -p extline-cli")
    path = os.pathsep.join([*options.folders, os.environ["PATH"]])
    failed = []
    for agent in AGENTS:
        if options.only and agent.id not in options.only:
            continue
        program = shutil.which(agent.program, path=path)
        if not program:
            print(f"SKIPPED {agent.id}: npm install --prefix target/agents {agent.package}")
            continue
        version = subprocess.run([program, "--version"], capture_output=True, text=True).stdout.split()
        version = next((word.strip(".") for word in version if word[0].isdigit()), "?")
        for packaged in (False, True):
            if packaged and not agent.package_folder:
                continue
            name = f"{agent.id} {version}{', its package' if packaged else ''}"
            with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
                run = Run(agent, program, Path(folder), packaged)
                found, results = run.see()
                said = ", ".join(f"{what} {'seen' if is_so else 'NOT SEEN'}" for what, is_so in found.items())
                print(f"{name}: {said}", flush=True)
                if all(found.values()) and options.record and not packaged:
                    file = HERE / f"transcripts/{agent.id}.json"
                    file.parent.mkdir(exist_ok=True)
                    file.write_text(json.dumps(run.transcript(version, results), indent=1) + "\n")
            if not all(found.values()):
                failed.append(name)
    sys.exit(f"FAILED: {', '.join(failed)}" if failed else 0)


def arguments():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [agent.id for agent in AGENTS]
    words.add_argument("--only", action="append", choices=names, help="this agent; may be repeated")
    words.add_argument("--record", action="store_true", help="write the transcripts anew")
    words.add_argument("--in", dest="folders", action="append", help="a folder with agents",
                       default=[str(TARGET / "agents/node_modules/.bin")])
    return words.parse_args()


if __name__ == "__main__":
    main()
