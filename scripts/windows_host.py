"""The command for Windows under wine: it starts extensions, calls them, tests them, and leaves nothing behind."""

import json
import os
import random
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from commands import say
from windows_conversation import Wrong

# So often the host is killed, at any moment of its life.
KILLS = 100
# Until then at the latest it has a call under way.
LIVES = 0.8
# What it started is gone by then: wine's server ends it.
GONE_WITHIN = 5
# So often it is told how far that is.
TOLD_EVERY = 25
# Of the tester, which takes a minute for a kit, and six for one in Node on a busy machine.
PATIENCE = 900
# What the system shows of a process of wine is its command line.
PROGRAMS = ("extline-kit.exe", "probe.exe", "cmd.exe", "node.exe", "python.exe")
# The examples among them.
PROGRAMS += ("weather-rust.exe", "guard-rust.exe", "todo-rust.exe", "weather.exe")


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

    def start(self, *words, stderr=subprocess.STDOUT, env=(), cwd=None):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": stderr}
        command = [str(word) for word in (self.wine, self.program, *words)]
        return subprocess.Popen(command, env={**self.env, **dict(env)}, cwd=cwd, **pipes)

    def run(self, *words, lines="", code=0, within=PATIENCE, env=(), cwd=None):
        """What it says; fails where it ends with another code."""
        # What a program starts has its stderr under wine, whatever it was given: so that is no pipe.
        with tempfile.TemporaryFile() as stderr:
            child = self.start(*words, stderr=stderr, env=env, cwd=cwd)
            try:
                said = child.communicate(lines.encode(), timeout=within)[0]
            except subprocess.TimeoutExpired:
                child.kill()
                raise Wrong(f"`extline {words[0]}`, or its output, takes longer than {within} s to end") from None
            stderr.seek(0)
            said = (said + stderr.read()).decode(errors="replace")
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
    nothing_is_left(command, "an extension that started a process")


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
    nothing_is_left(command, "a script")


def conforms(command, folder, skipped=()):
    """The kit level of the conformance tester, without a baseline."""
    without = [word for case in skipped for word in ("--skip", case)]
    return command.run("conformance", "--level", "kit", *without, folder).splitlines()[-1]


def answers_hooks(command, folder):
    """A hook starts the extensions, which decide, and run on for the next; where they do not start it blocks."""

    def hook(of, code=0, env=(), **args):
        sent = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls", **args}}
        words = ["hook", "--agent", "claude", of]
        return command.run(*words, lines=json.dumps(sent), code=code, within=60, env=env)

    def decided(**args):
        return json.loads(hook(folder, **args))["hookSpecificOutput"]

    if not (why := decided(do="veto")["permissionDecisionReason"]).endswith("vetoed"):
        raise Wrong(f"a call was blocked because {why!r}")
    began = time.monotonic()
    if decided(do="rewrite")["updatedInput"].get("second") is not True:
        raise Wrong("a call was not rewritten")
    took = time.monotonic() - began
    if said := hook(folder):
        raise Wrong(f"a call that nobody minds was answered with {said!r}")
    large = hook(folder, do="veto", more="x" * 300_000)
    if "vetoed" not in large:
        raise Wrong(f"a large call was answered with {large[:300]!r}")
    [runs] = json.loads(command.run("hook", "--status", "--json"))["running"]
    if runs["asked"] != 4:
        raise Wrong(f"not all hooks asked the same extensions: {runs}")
    absent = command.folder / "absent"
    absent.mkdir()
    manifest = json.loads((folder / "extension.json").read_text())
    (absent / "extension.json").write_text(json.dumps({**manifest, "exec": "./none"}))
    denied = json.loads(hook(absent))["hookSpecificOutput"]
    if denied["permissionDecision"] != "deny" or "did not start" not in denied["permissionDecisionReason"]:
        raise Wrong(f"without an extension a hook answered {denied}")
    # What runs the extensions cannot even be started: a home that is a file has no folder for that.
    home = str(folder / "extension.json").replace("/", "\\")
    said = hook(folder, code=2, env={"EXTLINE_HOME": f"Z:{home}"})
    if "the call is blocked" not in said:
        raise Wrong(f"without anybody to ask a hook said {said!r}")
    command.run("hook", "--stop")
    nothing_is_left(command, "the hooks were stopped")
    return f"a hook took {1000 * took:.0f} ms"


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
        end_of_wine(command, folder)
        what = f"kill {number + 1} of a host, seed {seed}"
        nothing_is_left(command, what)
        if not closes_its_output(host):
            say(f"  wine: after {what} a console of wine's own held its output open, and is ended")
            end_consoles_of_wine(command)
            if not closes_its_output(host):
                raise Wrong(f"after {what} somebody holds its output open")
        if (number + 1) % TOLD_EVERY == 0:
            say(f"  wine: {number + 1} of {KILLS} hosts were killed")


def closes_its_output(host):
    """Whether nobody holds the output of a host open that was killed, or soon nobody does."""
    try:
        host.communicate(timeout=GONE_WITHIN)
    except subprocess.TimeoutExpired:
        return False
    return True


def end_consoles_of_wine(command):
    """Ends wine's own programs behind consoles. One that was begun when its host was killed never ends."""
    for number, words in processes(command):
        said = " ".join(words)
        if "\\conhost.exe" in said and "--headless" in said:
            os.kill(number, signal.SIGKILL)


def nothing_is_left(command, what):
    until = time.monotonic() + GONE_WITHIN
    while left := running(command):
        if time.monotonic() > until:
            raise Wrong(f"after {what} there is still {left}")
        time.sleep(0.02)


def end_of_wine(command, folder):
    """Ends what wine had begun to make a process of when its maker was killed: no process of Windows yet."""
    time.sleep(0.05)
    for number, words in processes(command):
        is_extension = len(words) > 1 and f"\\{folder.name}\\" in words[1] and words[1].endswith(PROGRAMS)
        if words[0].endswith(("wine64", "wine64-preloader", "wine")) and is_extension:
            os.kill(number, signal.SIGKILL)


def running(command):
    """The command lines of extensions, and of what they start, that live."""
    # The program comes first, or behind wine's own; the command's arguments are no programs that run.
    return [" ".join(words).strip() for _, words in processes(command) if words[0].endswith(PROGRAMS)]


def processes(command):
    """The number and the command line of each process of this wine, and of no other that runs here."""
    mine = f"WINEPREFIX={command.env['WINEPREFIX']}".encode()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if mine in (entry / "environ").read_bytes().split(b"\0"):
                    words = (entry / "cmdline").read_bytes().decode(errors="replace").split("\0")
                    yield int(entry.name), words
            except OSError:
                continue
