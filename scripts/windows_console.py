"""The command at a console under wine, which makes one of a terminal of Linux."""

import fcntl
import json
import os
import pty
import re
import select
import shutil
import struct
import subprocess
import termios
import time
import tty

from windows_conversation import Wrong
from windows_host import nothing_is_left

ROWS, COLUMNS = 24, 80
# What is expected is shown by then. Wine takes seconds to start a console.
SHOWN_WITHIN = 60
ESCAPES = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07|\x1b[=>()][0-9A-Za-z]?")


class Console:
    """A program at a console."""

    def __init__(self, words, env, size=(ROWS, COLUMNS)):
        self.ours, theirs = pty.openpty()
        # As wine leaves it as it is: otherwise the terminal shows what is typed by itself.
        tty.setraw(theirs)
        modes = termios.tcgetattr(theirs)
        modes[tty.LFLAG] |= termios.ISIG
        termios.tcsetattr(theirs, termios.TCSANOW, modes)
        self.resize(*size)
        words = [str(word) for word in words]
        self.child = subprocess.Popen(
            words, stdin=theirs, stdout=theirs, stderr=theirs, env={**env, "TERM": "xterm"}, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )  # fmt: skip
        os.close(theirs)
        self.raw = b""
        # What stands before has been looked at.
        self.seen = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.kill()
        self.child.wait()
        os.close(self.ours)

    def resize(self, rows, columns):
        fcntl.ioctl(self.ours, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    @property
    def text(self):
        """What was shown, without colours and moves of the cursor."""
        return ESCAPES.sub(b"", self.raw).decode(errors="replace")

    def send(self, keys):
        os.write(self.ours, keys.encode())

    def expect(self, *parts):
        """Waits until all of these are shown, one behind the other."""
        until = time.monotonic() + SHOWN_WITHIN
        for part in parts:
            while (at := self.text.find(part, self.seen)) < 0:
                self._read(until, part)
            self.seen = at + len(part)

    def end(self, code=0):
        """Waits for the end of the program."""
        until = time.monotonic() + SHOWN_WITHIN
        while self.child.poll() is None:
            self._read(until, "its end")
        if self.child.returncode != code:
            raise Wrong(f"it ended with {self.child.returncode}, not {code}: {self.text[-2000:]!r}")

    def _read(self, until, wanted):
        if time.monotonic() > until:
            raise Wrong(f"{wanted!r} was not shown: {self.text[-2000:]!r}")
        ready, _, _ = select.select([self.ours], [], [], 0.1)
        if not ready:
            if self.child.poll() is not None and wanted != "its end":
                raise Wrong(f"it ended with {self.child.returncode} before {wanted!r} was shown: {self.text[-2000:]!r}")
            return
        try:
            self.raw += os.read(self.ours, 1 << 16)
        except OSError:
            # The terminal is closed with the last program on it.
            time.sleep(0.05)


def asks(command, kit):
    """Dialogs, an approval, a secret, the prompt and a panel of `extline run`, at a console."""

    def at_console(*words):
        return Console([command.wine, command.program, *words], command.env)

    confirm = ("call", kit, "confirm", '{"title":"Ship it?"}')
    with at_console(*confirm) as console:
        console.expect("extline-kit asks: Ship it?", "[y/N] ")
        console.send("maybe\x7f\r")
        console.expect("y for yes, n for no", "[y/N] ")
        console.send("y\r")
        console.expect("yes")
        console.end()
        if b"\x1b[1mextline-kit\x1b[0m" not in console.raw:
            raise Wrong(f"nothing was bold: {console.raw!r}")
    for key, code in (("\x04", 0), ("\x03", 130)):
        with at_console(*confirm) as console:
            console.expect("[y/N] ")
            console.send(key)
            console.end(code)
    with at_console("call", kit, "echo", '{"text":"x","do":"veto_unless"}') as console:
        console.expect("wants to run echo", "it is grave", "run it? ")
        console.send("y\r")
        console.expect('{"text":"x"')
        console.end()
    keeps_secrets(command, kit, at_console)
    with at_console("run", kit) as console:
        console.expect("ready", ">")
        console.send('!ec\t{"text":"typed"}\r')
        console.expect('{"text":"typed"}\r\n')
        # The line before, from the history.
        console.send("\x1b[A\r")
        console.expect('{"text":"typed"}\r\n')
        console.send("/panel\r")
        console.expect("type  (Esc closes)")
        console.send("a")
        console.expect("\r\na\r\n", "type  (Esc closes)")
        console.send("\x1b[Ab")
        console.expect("\r\nab\r\n", "type  (Esc closes)")
        console.send("\x1b")
        console.expect("the panel keys is closed", ">")
        console.send(":quit\r")
        console.expect("stopped: exit status 0")
        console.end()
    nothing_is_left(command, "consoles")


def keeps_secrets(command, kit, at_console):
    """A secret is typed unseen, and given to its extension alone."""
    folder = command.folder / "secret"
    shutil.copytree(kit, folder)
    manifest = json.loads((folder / "extension.json").read_text())
    manifest["permissions"]["secrets"] = ["KEY_OF_TEST"]
    (folder / "extension.json").write_text(json.dumps(manifest))
    with at_console("secret", "set", folder, "KEY_OF_TEST") as console:
        console.expect("KEY_OF_TEST of extline-kit, not shown: ")
        console.send("wordfisk\x7fh\r")
        console.expect("KEY_OF_TEST of extline-kit is set")
        console.end()
        if "word" in console.text:
            raise Wrong(f"what was typed was shown: {console.text!r}")
    said = command.run("call", folder, "secret", '{"name":"KEY_OF_TEST"}')
    if "wordfish" not in said:
        raise Wrong(f"the secret was not given: {said}")


def asks_for_more(command, python):
    """A list that is chosen from by arrows, what is typed unseen, and a text in an editor."""
    words = [command.wine, command.program, "call"]
    asking = ["--", python.program, python.folder / "extension/asking.py"]
    for keys in ("\x1b[B\x1b[A\x1b[B\r", "sou\r", "2\r"):
        with Console([*words, "choose", *asking], command.env) as console:
            console.expect("asks: Where?", "> 1) north", "arrows or a number; Enter: ")
            console.send(keys)
            console.end()
            if not console.text.endswith("south\r\nsouth\r\n"):
                raise Wrong(f"something else was chosen: {console.text!r}")
    with Console([*words, "hide", *asking], command.env) as console:
        console.expect("asks: Key?", "not shown: ")
        console.send("swordfish\r")
        console.end()
        if console.text.count("swordfish") != 1:
            raise Wrong(f"it was shown while it was typed: {console.text!r}")
    with Console([*words, "write", *asking], {**command.env, "EDITOR": "echo two words>"}) as console:
        console.expect("asks: Notes?", "'two words'\r\n")
        console.end()
    nothing_is_left(command, "consoles")
