"""Whether an extension whose tool `ship` asks does what docs/asking.md says, with a person and without one.

ships.py EXTLINE WORDS...: WORDS name the extension, as `-- ./ship`. Says nothing where all is well.
"""

import json
import subprocess
import sys
from pathlib import Path

TERMINAL = Path(__file__).with_name("terminal.py")
extline, *words = sys.argv[1:]
# A folder stands in front of the tool, a program behind everything.
SHIP = ["ship", *words] if words[0] == "--" else [*words, "ship"]


def at_terminal(*steps):
    """The exit code and the output of a call that a person answers."""
    command = [sys.executable, TERMINAL, json.dumps(steps), extline, "call", *SHIP]
    seen = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    assert seen["restored"], seen
    return seen["code"], seen["output"]


def without_one(*options, typed=""):
    return subprocess.run([extline, *options], input=typed, capture_output=True, text=True, check=False)


PROMPT = {"expect": "[y/N] "}
WHERE = [{"expect": "Where?"}, {"expect": "south"}, {"send": "south\r"}]
code, output = at_terminal({"expect": "Ship it?"}, PROMPT, {"send": "y\r"}, *WHERE)
assert (code, "shipped to the south" in output) == (0, True), (code, output)
code, output = at_terminal(PROMPT, {"send": "n\r"})
assert (code, "kept" in output) == (0, True), (code, output)
code, output = at_terminal(PROMPT, {"send": "\x03"})
assert (code, "shipped" in output) == (130, False), (code, output)

done = without_one("run", *words, typed="!ship\n")
assert "kept" in done.stdout and "headless" in done.stderr, done
done = without_one("call", "--answer", "confirm=yes", "--answer", "select=north", *SHIP)
assert (done.returncode, done.stdout) == (0, "shipped to the north\n"), done
