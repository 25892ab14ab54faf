#!/usr/bin/env python3
"""Agents themselves, headless, with a scripted model on the loopback and the extension `witness` installed by
`extline install`: what they do with its tools, guard, interceptors, events, dialog and command. Then with
`examples/guard-python`, whose guard blocks what destroys.

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
GUARD = ROOT / "examples/guard-python"
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
EXTLINE = TARGET / "debug/extline"
# An agent that takes longer hangs.
TIME = 180

# Between the agent and `extline`: a hook's event and answer are kept, and what is said to the MCP server.
RECORDER = """#!/bin/sh
kept={kept}/$(date +%s%N)
if [ "$1" = mcp ]; then
    tee "$kept.mcp" | {extline} "$@"
    exit
fi
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
    # A tool of the extension is called by this and its own name.
    tools: str
    files: tuple
    # What it has to be told, and how it is told to run the command of the extension.
    words: tuple
    command: tuple = ()
    # How it takes the package of `extline package`: its folder, what is run before, words more, its tools.
    package_folder: str | None = None
    package_before: tuple = ()
    package_words: tuple = ()
    package_tools: str | None = None
    # What it does not have: then it is seen that nothing else comes of it.
    lacks: tuple = ()
    # How its package calls the program otherwise.
    packaged_program: str = ""
    # What it does with arguments that an interceptor changed: it runs them, or is told that it cannot.
    rewritten: str = "rewritten"
    events: tuple = ("session_start", "user_prompt_submit", "tool_result")
    # What it says where it can ask nobody, and ends with that.
    ends_at_dialog: str = ""

    def call(self, line):
        return {"call": self.shell, "args": {self.argument: line, **self.more()}}

    def tool(self, name, args, packaged=False):
        namespace, _, prefix = (self.package_tools if packaged else self.tools).rpartition("/")
        step = {"call": prefix + name, "args": args}
        return step | ({"namespace": namespace} if namespace else {})

    def more(self):
        if self.id in ("codex", "pi"):
            return {}
        if self.id == "goose":
            # As for Qwen Code below.
            return {"timeout_secs": 60}
        if self.id == "droid":
            return {"summary": "Print a word for a test", "riskLevel": "low", "riskLevelReason": "It prints a word"}
        # guard-python gives a call without a timeout one, and Qwen Code cannot run what was rewritten.
        own = {"is_background": False, "timeout": 60000} if self.id == "qwen" else {}
        return {"description": "a test", **own}

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
            quiet = {"COPILOT_OFFLINE": "true", "COPILOT_PROVIDER_API_KEY": "none"}
            return {"COPILOT_MODEL": "scripted", **quiet, **provider}
        if self.id == "droid":
            settings = home / ".factory/settings.json"
            settings.parent.mkdir()
            model = {"model": "scripted", "displayName": "scripted", "baseUrl": url, "apiKey": "none"}
            model |= {"provider": "anthropic", "maxOutputTokens": 1000}
            settings.write_text(json.dumps({"customModels": [model], "cloudSessionSync": False}))
            # It speaks to nobody but that model then.
            return {"FACTORY_AIRGAP_ENABLED": "1"}
        if self.id == "crush":
            config = home / ".config/crush/crush.json"
            config.parent.mkdir(parents=True)
            model = {"id": "scripted", "name": "scripted", "context_window": 100000, "default_max_tokens": 1000}
            provider = {"type": "anthropic", "base_url": url, "api_key": "none", "models": [model]}
            chosen = {size: {"provider": "scripted", "model": "scripted"} for size in ("large", "small")}
            options = {"disable_provider_auto_update": True, "disable_metrics": True}
            config.write_text(json.dumps({"providers": {"scripted": provider}, "models": chosen, "options": options}))
            return {}
        if self.id == "goose":
            config = home / ".config/goose/config.yaml"
            config.parent.mkdir(parents=True)
            # JSON is YAML too.
            shell = {"type": "platform", "name": "developer", "enabled": True}
            config.write_text(json.dumps({"extensions": {"developer": shell}}))
            provider = {"GOOSE_PROVIDER": "anthropic", "GOOSE_MODEL": "scripted", "ANTHROPIC_HOST": url}
            quiet = {"GOOSE_DISABLE_KEYRING": "1", "GOOSE_TELEMETRY_ENABLED": "false", "GOOSE_MODE": "auto"}
            return {"ANTHROPIC_API_KEY": "none", **provider, **quiet}
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
        "mcp__witness__",
        (".claude/settings.json", ".claude.json"),
        ("-p", "PROMPT", "--allowedTools", "Bash(echo:*)", "mcp__witness"),
        ("/mcp__witness__oath solemnly",),
        package_folder="claude",
        package_before=(("plugin", "validate", "PACKAGE"),),
        package_words=("--plugin-dir", "PACKAGE", "--allowedTools", "mcp__plugin_witness_witness"),
        package_tools="mcp__plugin_witness_witness__",
    ),
    Agent(
        "opencode",
        "opencode",
        "opencode-ai",
        "bash",
        "command",
        "witness_",
        (".config/opencode/plugins/extline.js", ".config/opencode/opencode.json"),
        ("run", "--model", "anthropic/scripted", "PROMPT"),
        ("--command", "witness:oath", "solemnly"),
        lacks=("dialog", "refused prompt"),
    ),
    Agent(
        "pi",
        "pi",
        "@earendil-works/pi-coding-agent",
        "bash",
        "command",
        "mcp__witness__",
        (".pi/agent/extensions/extline.js", ".pi/agent/mcp.json"),
        ("-p", "--offline", "--provider", "scripted", "--model", "scripted", "PROMPT"),
        lacks=("dialog", "refused prompt", "command"),
    ),
    Agent(
        "codex",
        "codex",
        "@openai/codex",
        "exec_command",
        "cmd",
        "mcp__witness/",
        (".codex/hooks.json", ".codex/config.toml"),
        # A user trusts the hooks in /hooks; headless there is nobody who could.
        (
            "exec",
            "--skip-git-repo-check",
            "--dangerously-bypass-hook-trust",
            "--dangerously-bypass-approvals-and-sandbox",
            "PROMPT",
        ),
        lacks=("command",),
    ),
    Agent(
        "qwen",
        "qwen",
        "@qwen-code/qwen-code",
        "run_shell_command",
        "command",
        "mcp__witness__",
        (".qwen/settings.json",),
        ("--yolo", "--auth-type", "anthropic", "--model", "scripted", "-p", "PROMPT"),
        ("/oath solemnly",),
        # It would run what it had before: the call is blocked.
        rewritten="Qwen Code has no way to run it so",
        events=("user_prompt_submit", "tool_result"),
        lacks=("rewrite", "dialog"),
    ),
    Agent(
        "copilot",
        "copilot",
        "@github/copilot",
        "bash",
        "command",
        "witness-",
        (".copilot/hooks/extline.json", ".copilot/mcp-config.json"),
        ("-p", "PROMPT", "--allow-all-tools"),
        ("/oath solemnly",),
        lacks=("refused prompt", "command"),
    ),
    Agent(
        "gemini",
        "gemini",
        "@google/gemini-cli",
        "run_shell_command",
        "command",
        "mcp_witness_",
        (".gemini/settings.json",),
        # A model of its own choice would be chosen by asking another.
        ("--yolo", "--skip-trust", "--model", "gemini-2.5-pro", "-p", "PROMPT"),
        # By position it takes only arguments that have to be there.
        ('/oath --args="solemnly"',),
        lacks=("dialog",),
        package_folder="gemini",
        package_before=(("extensions", "validate", "PACKAGE"), ("extensions", "link", "--consent", "PACKAGE")),
        package_tools="mcp_witness_",
    ),
    Agent(
        "droid",
        "droid",
        "droid",
        "Execute",
        "command",
        "witness___",
        (".factory/settings.json", ".factory/mcp.json"),
        ("exec", "--model", "custom:scripted-0", "--skip-permissions-unsafe", "PROMPT"),
        ("/oath solemnly",),
        # `droid exec` runs no hook at a prompt.
        events=("session_start", "tool_result"),
        lacks=("dialog", "refused prompt", "command"),
    ),
    Agent(
        "goose",
        "goose",
        "@aaif/goose-binary-linux-x64",
        "shell",
        "command",
        "extline_witness__",
        (".agents/plugins/extline/hooks/hooks.json", ".agents/plugins/extline/.mcp.json"),
        ("run", "--no-session", "--text", "PROMPT"),
        ("/oath solemnly",),
        # It would run what it had before: the call is blocked.
        rewritten="no way to run it so",
        events=("session_start", "user_prompt_submit", "tool_result"),
        packaged_program="goose-binary-linux-x64",
        ends_at_dialog="no interactive terminal is available",
        lacks=("rewrite", "dialog", "refused prompt", "command"),
    ),
    # After its documentation: nobody has seen it here.
    Agent(
        "crush",
        "crush",
        "@charmland/crush",
        "bash",
        "command",
        "mcp_witness_",
        (".config/crush/crush.json",),
        ("run", "--quiet", "PROMPT"),
        events=(),
        lacks=("dialog", "refused prompt", "command"),
    ),
)
# Agents that are not driven here, and how to get them.
OTHERS = {
    "cursor": "curl https://cursor.com/install -fsS | bash; it needs an account",
    "zot": "make tools TOOLS=zot; make test-agents drives it by itself",
}


class Run:
    """One agent in a home of its own, with an extension."""

    extension = WITNESS
    title = ""
    packaged = False

    def __init__(self, agent, program, folder):
        self.agent, self.program, self.killed = agent, program, False
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

    def see(self):
        """What came of it: for each thing "seen", "not there" or "NOT SEEN"; and what the calls gave."""
        model = Model(self.script())
        try:
            self.env |= self.agent.prepare(self.home, model.url)
            more = self.install()
            ended = self.start(("go",), more)
            results = model.results()
            found = self.judge([*results, *[""] * len(model.steps)], ended)
            self.go_on(model, found)
            found = {what: self.word(what, is_so) for what, is_so in found.items()}
            if "NOT SEEN" in found.values():
                print(ended.stdout[-3000:], ended.stderr[-3000:], json.dumps(results, indent=2), sep="\n")
            return found, results
        finally:
            subprocess.run([EXTLINE, "hook", "--stop"], env=self.env, stdout=subprocess.DEVNULL, check=False)
            model.close()

    def word(self, what, is_so):
        return "NOT SEEN" if not is_so else "not there" if what in self.agent.lacks else "seen"

    def script(self):
        call, packaged = self.agent.call, self.packaged
        consult = self.agent.tool("consult", {"what": "dark"}, packaged)
        ends = bool(self.agent.ends_at_dialog)
        return [
            call("echo forbidden"),
            call("echo original"),
            # The word is in the result only where it ran.
            call("echo questioned un''seen"),
            self.agent.tool("testify", {"what": "everything"}, packaged),
            *([] if ends else [consult]),
            {**call("echo forbidden again"), "before": self.kill},
            consult if ends else {"say": "done"},
        ]

    def judge(self, results, ended):
        events = {told["event"] for told in self.told()}
        if self.agent.ends_at_dialog:
            is_consulted, killed = self.agent.ends_at_dialog in ended.stdout + ended.stderr, results[4]
        else:
            # Headless nobody answers, and the dialog is closed.
            lacks = "dialog" in self.agent.lacks
            says = "does not declare the capability elicitation" if lacks else "the person says False"
            is_consulted, killed = says in results[4], results[5]
        return {
            "guard": "the witness forbids it" in results[0],
            "rewrite": self.agent.rewritten in results[1],
            # Headless nobody can say yes.
            "ask": results[2] != "" and "unseen" not in results[2],
            "tool": "testified everything" in results[3],
            "dialog": is_consulted,
            "guard killed": self.killed and "blocked by witness" in killed,
            "events": set(self.agent.events) <= events,
        }

    def go_on(self, model, found):
        """Further conversations."""
        self.recorded = sorted(self.kept.glob("*.in"))
        self.start(("unspeakable",))
        # It is told of as an event, and goes on, or it never gets to the model.
        is_told = any(told.get("text") == "unspeakable" for told in self.told())
        heard = model.was_told("unspeakable")
        is_told_of = is_told or "user_prompt_submit" not in self.agent.events
        lacks = "refused prompt" in self.agent.lacks
        found["refused prompt"] = heard and is_told_of if lacks else not heard and not is_told
        # Where it goes on, that says nothing more, and neither does the command's.
        if not lacks:
            self.recorded = sorted(self.kept.glob("*.in"))
        if self.agent.command:
            self.start(self.agent.command)
        is_sworn = model.was_told("I swear solemnly")
        if "command" in self.agent.lacks:
            found["command"] = not is_sworn and not self.has_asked("prompts/get")
        else:
            found["command"] = is_sworn

    def has_asked(self, method):
        """Whether the extension's MCP server was asked so."""
        return any(f'"{method}"' in file.read_text() for file in self.kept.glob("*.mcp"))

    def install(self):
        """Installs it; returns words more for the agent."""
        words = [EXTLINE, "install", "--for", self.agent.id, self.extension]
        subprocess.run(words, env=self.env, cwd=self.project, stdout=subprocess.DEVNULL, check=True)
        recorder = self.home / "extline.sh"
        recorder.write_text(RECORDER.format(extline=shlex.quote(str(EXTLINE)), kept=shlex.quote(str(self.kept))))
        recorder.chmod(0o755)
        for name in self.agent.files:
            file = self.home / name
            file.write_text(file.read_text().replace(str(EXTLINE), str(recorder)))
        return ()

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
        """Kills the extension behind the hooks."""
        status = [EXTLINE, "hook", "--status", "--json"]
        said = subprocess.run(status, env=self.env, capture_output=True, text=True, check=True).stdout
        hosts = [str(host["pid"]) for host in json.loads(said)["running"]]
        children = subprocess.run(["pgrep", "-P", ",".join(hosts)], capture_output=True, text=True).stdout.split()
        for pid in children:
            os.kill(int(pid), signal.SIGKILL)
        self.killed = bool(children)

    def transcript(self, version, results):
        """What was said to hooks and answered, without names of this machine."""

        def plain(text):
            names = {self.project: "/home/ada/project", self.home: "/home/ada", WITNESS: "/home/ada/witness"}
            for path, name in names.items():
                text = text.replace(str(path), name)
            # A folder of Claude Code has the project's path in its name.
            return text.replace(str(self.project).replace("/", "-"), "-home-ada-project")

        hooks = []
        for given in self.recorded:
            stdout, code = given.with_suffix(".out"), given.with_suffix(".code")
            said = json.loads(plain(given.read_text()))
            words = given.with_suffix(".words").read_text().splitlines()
            if "--event" in words:
                # Copilot CLI does not name it.
                said = {"--event": words[words.index("--event") + 1], **said}
            if code.exists():
                answer = {"stdout": plain(stdout.read_text()), "code": int(code.read_text())}
                hooks.append({"stdin": said, **answer})
        return {"agent": self.agent.id, "version": version, "hooks": hooks, "results": [plain(it) for it in results]}


class Packaged(Run):
    """As its author's package."""

    title = ", its package"
    packaged = True

    def install(self):
        packages = self.home / "packages"
        words = [EXTLINE, "package", "--out", packages, self.extension]
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

    def go_on(self, model, found):
        pass


class Guarded(Run):
    """With the example of a guard, in place of the witness."""

    title = ", guard-python"
    extension = GUARD

    def script(self):
        # It blocks those words wherever they stand, and nothing is lost if it does not.
        return [
            self.agent.call("echo rm -rf /"),
            self.agent.call("echo harm''less"),
            {**self.agent.call("echo rm -rf /home"), "before": self.kill},
            {"say": "done"},
        ]

    def judge(self, results, _):
        return {
            "guard": "refused: this deletes the root" in results[0],
            "harmless": "harmless" in results[1],
            "guard killed": self.killed and "blocked by guard-python" in results[2],
        }

    def go_on(self, model, found):
        pass


def main():
    options = arguments()
    if not EXTLINE.exists():
        sys.exit("there is no extline yet: cargo build -p extline-cli")
    if subprocess.run(["python3", "-c", "import extline"], stderr=subprocess.DEVNULL).returncode:
        sys.exit("python3 has no extline: scripts/test-python.sh -k agents, and target/python/bin first in PATH")
    path = os.pathsep.join([*options.folders, os.environ["PATH"]])
    failed = []
    for agent in AGENTS:
        if options.only and agent.id not in options.only:
            continue
        names = filter(None, (agent.program, agent.packaged_program))
        program = next(filter(None, (shutil.which(name, path=path) for name in names)), None)
        if not program:
            print(f"SKIPPED {agent.id}: npm install --prefix target/agents {agent.package}")
            continue
        version = subprocess.run([program, "--version"], capture_output=True, text=True).stdout.split()
        version = next((word.strip(".") for word in version if word[0].isdigit()), "?")
        for kind in (Run, Packaged, Guarded):
            if kind is Packaged and not agent.package_folder:
                continue
            name = f"{agent.id} {version}{kind.title}"
            with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
                run = kind(agent, program, Path(folder))
                found, results = run.see()
                print(f"{name}: {', '.join(f'{what} {word}' for what, word in found.items())}", flush=True)
                is_so = "NOT SEEN" not in found.values()
                if is_so and options.record and kind is Run:
                    file = HERE / f"transcripts/{agent.id}.json"
                    file.parent.mkdir(exist_ok=True)
                    file.write_text(json.dumps(run.transcript(version, results), indent=1) + "\n")
            if not is_so:
                failed.append(name)
    if not options.only:
        for other, how in OTHERS.items():
            print(f"SKIPPED {other}: {how}")
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
