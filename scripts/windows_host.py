"""The command for Windows under wine: it starts extensions, calls them, tests them, and leaves nothing behind."""

import json
import os
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path

from windows_conversation import Wrong

# So often the host is killed, at any moment of its life.
KILLS = 100
# Until then at the latest it has a call under way.
LIVES = 0.8
# What it started is gone by then: wine's server ends it.
GONE_WITHIN = 5
# Of the tester, which takes a minute for a kit, and six for one in Node on a busy machine.
PATIENCE = 900
# What the system shows of a process of wine is its command line.
PROGRAMS = ("extline-kit.exe", "probe.exe", "cmd.exe", "node.exe", "python.exe")


class Command:
    """The command, and a kit of each language in a folder of its own."""

    def __init__(self, wine, program, env, folder):
        self.wine, self.program, self.env, self.folder = wine, program, env, folder
        shutil.rmtree(folder, ignore_errors=True)

    def kit(self, language, source, program, beside=()):
        """A kit's folder, with the program under the name that its manifest has, but for the ending."""
        folder = self.folder / language
        place = folder / (json.loads((source / "extension.json").read_text())["exec"] + ".exe")
        place.parent.mkdir(parents=True)
        for file in (source / "extension.json", source / "extline-kit"):
            if file.is_file():
                shutil.copy(file, folder)
        shutil.copy(program, place)
        for file in beside:
            shutil.copy(file, place.parent)
        return folder

    def start(self, *words):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        command = [str(word) for word in (self.wine, self.program, *words)]
        return subprocess.Popen(command, env=self.env, **pipes)

    def run(self, *words, lines="", code=0):
        """What it says; fails where it ends with another code."""
        child = self.start(*words)
        try:
            said = child.communicate(lines.encode(), timeout=PATIENCE)[0].decode(errors="replace")
        except subprocess.TimeoutExpired:
            child.kill()
            child.communicate()
            raise Wrong(f"`extline {words[0]}` takes longer than {PATIENCE} s") from None
        if child.returncode != code:
            raise Wrong(f"`extline {words[0]}` ended with {child.returncode}, not {code}:\n{said[-3000:]}")
        return said


def serves(command, folder):
    """An extension is called, run, and explained where it crashes; what it started ends with it."""
    said = command.run("call", folder, "echo", '{"text": "é \\"x\\""}')
    if json.loads(said) != {"text": 'é "x"'}:
        raise Wrong(f"`extline call` printed {said!r}")
    said = command.run("call", folder, "fail", '{"how": "abort"}', code=1)
    if "exit status" not in said:
        raise Wrong(f"it does not say how an extension ended:\n{said}")
    said = command.run("run", folder, lines="!spawn_child\n:quit\n")
    if "ready" not in said or "stopped: exit status 0" not in said:
        raise Wrong(f"`extline run` said:\n{said}")
    nothing_is_left("an extension that started a process")


def starts_scripts(command, folder):
    """A program of another ending than `.exe`, which is left out too."""
    script = command.folder / "script"
    script.mkdir()
    (script / "start.cmd").write_text(f'@"%~dp0..\\{folder.name}\\extline-kit.exe" %*\r\n')
    manifest = {"name": "extline-kit", "version": "1.0.0", "exec": "./start", "args": ["a b", "50%"]}
    (script / "extension.json").write_text(json.dumps(manifest))
    if json.loads(command.run("call", script, "echo", '{"text": "x"}')) != {"text": "x"}:
        raise Wrong("an extension that is a .cmd was not called")
    manifest["exec"] = "./start.py"
    (script / "start.py").write_text("")
    (script / "extension.json").write_text(json.dumps(manifest))
    said = command.run("call", script, "echo", "{}", code=3)
    if "is run by py" not in said:
        raise Wrong(f"it does not say that Python is missing:\n{said}")
    nothing_is_left("a script")


def conforms(command, folder, skipped=()):
    """The kit level of the conformance tester, without a baseline."""
    without = [word for case in skipped for word in ("--skip", case)]
    return command.run("conformance", "--level", "kit", *without, folder).splitlines()[-1]


def keeps_its_home_private(home):
    """What wine makes of the lists of files and folders: nothing for all."""
    open_to_all = [path for path in [home, *home.rglob("*")] if path.stat().st_mode & 0o007]
    if open_to_all or not list(home.rglob("*.log")):
        raise Wrong(f"others may read {open_to_all or home}")


def leaves_nothing(command, folder):
    """A host that is killed at any moment leaves no process."""
    seed = random.randrange(1 << 32)
    moments = random.Random(seed)
    for number in range(KILLS):
        host = command.start("run", folder)
        host.stdin.write(b"!spawn_child\n!sleep {\"ms\": 60000}\n")
        host.stdin.flush()
        time.sleep(moments.uniform(0, LIVES))
        os.kill(host.pid, signal.SIGKILL)
        end_of_wine(folder)
        # What is left would hold the pipes that are read to their end.
        nothing_is_left(f"kill {number + 1} of a host, seed {seed}")
        host.communicate()


def nothing_is_left(what):
    until = time.monotonic() + GONE_WITHIN
    while left := running():
        if time.monotonic() > until:
            raise Wrong(f"after {what} there is still {left}")
        time.sleep(0.02)


def end_of_wine(folder):
    """Ends what wine had begun to make a process of when its maker was killed: no process of Windows yet."""
    time.sleep(0.05)
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes().decode(errors="replace").split("\0")
            except OSError:
                continue
            is_extension = len(words) > 1 and f"\\{folder.name}\\" in words[1] and words[1].endswith(PROGRAMS)
            if words[0].endswith(("wine64", "wine64-preloader", "wine")) and is_extension:
                os.kill(int(entry.name), signal.SIGKILL)


def running():
    """The command lines of extensions, and of what they start, that live."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes().decode(errors="replace").split("\0")
            except OSError:
                continue
            # The program comes first, or behind wine's own; the command's arguments are no programs that run.
            if any(word.endswith(PROGRAMS) for word in words[:1]):
                found.append(" ".join(words).strip())
    return found
