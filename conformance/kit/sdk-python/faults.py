"""Tools that do what an extension should not."""
import atexit
import os
import subprocess
import sys

from extline import ToolError
from memory import MESSAGE, children, tool

FAIL = '{"type":"object","properties":{"how":{"type":"string"}},"required":["how"]}'
STRAY = '{"type":"object","properties":{"via":{"enum":["print","write","child","at_exit"]}},"required":["via"]}'
SIZE = '{"type":"object","properties":{"n":{"type":"integer","minimum":0}},"required":["n"]}'
NONE = '{"type":"object","properties":{}}'
# A process that reads until its stdin ends, and one that prints something then.
if sys.platform == "win32":
    READER = ["cmd", "/c", "set /p line="]
    READER_THAT_SAYS = ["cmd", "/c", "set /p line=& echo stray child"]
else:
    READER, READER_THAT_SAYS = ["cat"], ["sh", "-c", "cat; echo stray child"]


@tool("fail", "Fails in a chosen way.", FAIL)
def fail(how):
    if how == "full":
        raise ToolError.conflict(
            MESSAGE,
            field="/how",
            hint="ask for something else",
            causes=["first", "second"],
            retry_after=1.5,
        )
    if how == "throw":
        raise ValueError(MESSAGE)
    if how == "panic":
        raise SystemExit(MESSAGE)
    if how == "return":
        return {"no": object()}
    if how == "exit":
        os._exit(7)
    if how == "abort":
        os.abort()
    raise ToolError.of_kind(how, MESSAGE)


@tool("stdout", "Writes to stdout past the protocol.", STRAY)
def stray(via):
    if via == "print":
        print("stray print\nhalf a line", end="", flush=True)
    elif via == "write":
        os.write(1, b"stray write\n")
    elif via == "child":
        subprocess.run(READER_THAT_SAYS, check=True)
    else:
        atexit.register(print, "stray at_exit")
    return "printed"


@tool("stderr", "Writes to stderr.", SIZE)
def stderr(n):
    print("x" * n, file=sys.stderr)
    return "written"


@tool("spawn_child", "Starts a process that lives as long as this one.", NONE)
def spawn_child():
    children.append(subprocess.Popen(READER, stdin=subprocess.PIPE))
    return "started"
