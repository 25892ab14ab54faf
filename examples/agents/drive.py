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
from pathlib import Path

from agents import AGENTS, OTHERS
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
