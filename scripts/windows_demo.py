"""What `make demo` shows, under wine: examples are inspected, called, recorded, installed, kept in check, diagnosed."""

import copy
import json
import subprocess
import tempfile
import time

from commands import ROOT
from windows_conversation import Wrong
from windows_host import PATIENCE, nothing_is_left, running

EXAMPLES = ROOT / "examples"
BERLIN = '{"city":"Berlin"}'
# Until then the extensions of a session run.
STARTED_WITHIN = 30


class Demo:
    """The command, with a home of its own."""

    def __init__(self, command, folder):
        self.command = copy.copy(command)
        self.home = folder / "home"
        self.command.env = {**command.env, "EXTLINE_HOME": f"Z:{self.home}".replace("/", "\\")}

    def shows(self, *words, expect, **options):
        """One call of the command, which has to say all of this."""
        said = self.command.run(*words, **options)
        for text in expect:
            if text not in said:
                raise Wrong(f"`extline {' '.join(map(str, words))}` did not say {text!r}:\n{said[-3000:]}")

    def uses(self, folder):
        """An example is inspected, its command and its tool are called, and a session is played to it again."""
        self.shows("inspect", folder, expect=["weather"])
        self.shows("command", folder, "weather", "Berlin", expect=["Berlin"])
        self.shows("call", folder, "weather", BERLIN, expect=["Berlin: 16°C, fog"])
        trace = self.home.parent / f"{folder.name}.ndjson"
        trace.unlink(missing_ok=True)
        lines = f"!weather {BERLIN}\n/weather Berlin\n"
        self.shows("record", trace, folder, lines=lines, expect=["fog"])
        self.shows("conformance", "replay", trace, folder, expect=["conformant: "])

    def installs(self, folder):
        """An example is installed and run from there, found to be well, broken, found to be broken, and removed."""
        name = json.loads((folder / "extension.json").read_text())["name"]
        self.shows("ext", "install", folder, expect=[name])
        self.shows("ext", "list", expect=[name])
        self.shows("ext", "doctor", name, expect=[name])
        self.shows("run", lines=f"!weather {BERLIN}\n", expect=["fog"])
        self.shows("ext", "install", "--replace", folder, expect=[name])
        [program] = (self.home / "extensions" / name).glob("*.exe")
        program.unlink()
        self.shows("ext", "doctor", name, code=1, expect=[name, "there is no program"])
        self.shows("ext", "remove", "--yes", name, expect=[name])
        if program.parent.exists():
            raise Wrong(f"{program.parent} is there although it was removed")

    def keeps_in_check(self, agent, folders):
        """An agent whose model is guarded, and which shows a panel."""
        self._converses(agent, folders, ["how is the weather?", "please clean up"], [
            "It is foggy in Berlin.",
            "blocked by guard-rust: refused",
            'bash runs: {"command":"cd',
            '"timeout":120',
        ])  # fmt: skip
        self._converses(agent, folders, ["/todo", "a", "ship it", "enter", "space", "esc"], ["> [x] ship it"])

    def _converses(self, agent, folders, lines, expect):
        words = [self.command.wine, agent, EXAMPLES / "embed-host/model.json", *folders]
        with tempfile.TemporaryFile() as stderr:
            typed = "".join(f"{line}\n" for line in lines).encode()
            pipes = {"stdout": subprocess.PIPE, "stderr": stderr}
            done = subprocess.run(words, env=self.command.env, check=False, input=typed, timeout=PATIENCE, **pipes)
            stderr.seek(0)
            said = (done.stdout + stderr.read()).decode(errors="replace")
        missing = [text for text in expect if text not in said]
        if done.returncode != 0 or missing:
            raise Wrong(f"the agent ended with {done.returncode}, and did not say {missing}:\n{said[-3000:]}")

    def holds_a_session(self, folders):
        """Several extensions at once, of which nothing is left afterwards."""
        with tempfile.TemporaryFile() as stderr:
            host = self.command.start("run", *folders, stderr=stderr)
            host.stdin.write(f"!weather {BERLIN}\n/todo\n:tools\n".encode())
            host.stdin.flush()
            until = time.monotonic() + STARTED_WITHIN
            names = {f"{folder.name}.exe" for folder in folders}
            while names - {line.replace("\\", "/").split("/")[-1] for line in running(self.command)}:
                if time.monotonic() > until or host.poll() is not None:
                    host.kill()
                    raise Wrong(f"of {names} there run only {running(self.command)}")
                time.sleep(0.1)
            said = host.communicate(b":quit\n", timeout=PATIENCE)[0].decode(errors="replace")
        if host.returncode != 0 or "fog" not in said:
            raise Wrong(f"the session ended with {host.returncode}:\n{said[-3000:]}")
        nothing_is_left(self.command, "a session")
