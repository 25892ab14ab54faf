"""What an author sees of a mistake in a definition: the line that made it, and what to do."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import extline
import pytest

OWN = str(Path(extline.__file__).parent)

# Lines of a program, of which the first is the one to blame, and how what it says ends.
MISTAKES = {
    "@ext.tool\ndef send(to: socket.socket): ...": (
        "tool send: parameter to: its annotation socket cannot come from JSON: type <class "
        "'socket.socket'> is not supported; use another type, or pass ext.tool a schema"
    ),
    "@ext.tool\ndef send(to: list[Order | socket.socket]): ...": (
        "cannot come from JSON: Unable to generate pydantic-core schema for <class "
        "'socket.socket'>; use another type, or pass ext.tool a schema"
    ),
    "@ext.tool\ndef send(to: 'Nowhere'): ...": (
        "its annotation 'Nowhere' names what is not there: name 'Nowhere' is not defined; import "
        "it outside of `if TYPE_CHECKING:`, above the function"
    ),
    "@ext.tool\ndef send(days: int = '5'): ...": "must be an integer, and is \"5\"; change one of them",
    "@ext.tool\ndef twice(): ...": "there is a tool named 'twice' already, at {file}:6; rename one",
    "@ext.tool(timeout='5')\ndef send(): ...": "the tool send: timeout is in seconds, more than 0, and is '5'",
    "@ext.tool(label=5)\ndef send(): ...": "the tool send: label: expected a string, found 5",
    "@ext.tool('send')\ndef sends(): ...": "the name of a tool is given by name: @ext.tool(name='send')",
    "@ext.command('a b')\ndef send(args): ...": 'the command name "a b" is not allowed: use 1 to 64 letters, digits, `_` and `-`',
    "@ext.command('send')\ndef send(args, to): ...": "asks for 'to'; it is given args and ctx",
    "@ext.command(5)\ndef send(args): ...": 'say which command: @ext.command("deploy", "deploys the branch")',
    "@ext.on\ndef told(event): ...": 'say which event: @ext.on("turn_end")',
    "@ext.intercept('toolcall')\ndef told(call): ...": "there is no point 'toolcall'; there are tool_call, turn_start, assistant_message, before_agent_start, tool_result, user_prompt_submit",
    "@ext.guard('no_rm')\ndef no_rm(call): ...": "the name of a guard is given by name: @ext.guard(name='no_rm')",
    "@ext.panel\ndef told(input): ...": 'say which panel: @ext.panel("notes")',
    "@ext.setup\ndef prepare(ctx, more): ...": "asks for 'more'; it is given ctx",
    "@ext.method(5)\ndef check(params): ...": 'say which method: @ext.method("health.check")',
}
PROGRAM = """import socket
import pydantic
from extline import Extension
class Order(pydantic.BaseModel): ...
ext = Extension("w")
@ext.tool
def twice(): ...
"""
BLAMED = PROGRAM.count("\n") + 1


@pytest.mark.parametrize("mistake", MISTAKES, ids=range(len(MISTAKES)))
def test_the_traceback_ends_at_the_authors_line(tmp_path: Path, mistake: str) -> None:
    file = tmp_path / "weather.py"
    file.write_text(f"{PROGRAM}{mistake}\next.run()\n")
    done = subprocess.run(
        [sys.executable, file], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 1
    assert done.stdout == ""
    said = done.stderr
    assert said.rstrip().endswith(MISTAKES[mistake].format(file=file)), said
    assert said.count("Traceback (most recent call last)") == 1, said
    frames = [line for line in said.splitlines() if line.startswith('  File "')]
    assert frames[0] == f'  File "{file}", line {BLAMED}, in <module>'
    # One that passes options on, and the one that raises.
    assert len(frames) <= 3, said
    assert all(OWN in frame for frame in frames[1:]), said


# Lines of a program, with the last that runs, and the line and the function where it raises.
RAISES_OF_ITS_OWN = {
    "a class that is asked for its schema": (
        """class Place(BaseModel):
    @classmethod
    def __get_pydantic_json_schema__(cls, core, handler):
        raise {error}("no such place")
@ext.tool
def weather(at: Place): ...
""",
        "line 7, in __get_pydantic_json_schema__",
    ),
    "a default that is made": (
        """def place():
    raise {error}("no such place")
@ext.tool
def weather(at: str = Field(default_factory=place)): ...
""",
        "line 5, in place",
    ),
}


@pytest.mark.parametrize("error", ["TypeError", "ValueError", "KeyError"])
@pytest.mark.parametrize("how", RAISES_OF_ITS_OWN)
def test_what_an_authors_code_raises_is_shown_where_it_did(tmp_path: Path, how: str, error: str) -> None:
    lines, raised = RAISES_OF_ITS_OWN[how]
    file = tmp_path / "weather.py"
    begin = 'from extline import Extension\nfrom pydantic import BaseModel, Field\next = Extension("w")\n'
    file.write_text(begin + lines.format(error=error))
    done = subprocess.run(
        [sys.executable, file], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60
    )
    assert "no such place" in done.stderr
    assert f'File "{file}", {raised}' in done.stderr, done.stderr
    called = begin.count("\n") + lines.count("\n") - 1
    assert f'File "{file}", line {called}, in <module>' in done.stderr, done.stderr


def test_setup_and_teardown_take_parentheses_too() -> None:
    from extline.testing import Host

    ext = extline.Extension("w")
    done = []

    @ext.setup()
    def prepare() -> None:
        done.append("setup")

    @ext.teardown()
    def finish() -> None:
        done.append("teardown")

    with Host(ext):
        pass
    assert done == ["setup", "teardown"]
