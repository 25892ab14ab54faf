"""How the kit in plain Python is broken: what every mistake needs to put itself in the place of what is right."""
import json

import calls
import frames
import kit
import moments
import pipes
import rpc
import services
import tools
from frames import Raw
from kit import Kit

MUTANTS = {}


def mutant(function):
    MUTANTS[function.__name__.rstrip("_").replace("_", "-")] = function
    return function


def replace(name, new):
    """Puts something else in the place of a function, wherever it was imported."""
    for module in (calls, frames, kit, moments, pipes, rpc, services, tools):
        if hasattr(module, name):
            setattr(module, name, new)


def around(owner, name):
    """Has a method replaced by a function that gets it as its first argument."""
    original = getattr(owner, name)

    def put(function):
        setattr(owner, name, lambda *args: function(original, *args))
    return put


def tool(name, function):
    """Replaces a tool; the function gets the call and the tool as it was."""
    original = tools.Tools.named

    def named(self):
        own = original(self)
        return {**own, name: lambda call: function(call, own[name])}
    tools.Tools.named = named


def written(change):
    """Changes each frame as text, on its way out."""
    original = frames.line
    replace("line", lambda frame: change(original(frame).decode()[:-1]).encode() + b"\n")


def members(change):
    """Changes each frame, on its way out."""
    original = frames.line
    replace("line", lambda frame: original(change(dict(frame))))


def results(change):
    members(lambda frame: change(frame) if frame["type"] == "tool_result" else frame)


def drop(kind, name):
    members(lambda frame: {key: value for key, value in frame.items() if frame["type"] != kind or key != name})


def echo(change):
    """Has the arguments go through native values that are changed."""
    tool("echo", lambda call, echo: Raw(json.dumps(change(call), ensure_ascii=False, separators=(",", ":"))))


def deep(value):
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if inner is None else 1 + max(map(deep, inner), default=0)


def without(value, unwanted):
    if isinstance(value, dict):
        return {key: without(one, unwanted) for key, one in value.items() if not unwanted(key, one)}
    return [without(one, unwanted) for one in value] if isinstance(value, list) else value



def some(owner, name, wanted):
    """Has a method called only where that is so of how often it was called."""
    count = []

    def only(method, *args):
        count.append(1)
        return method(*args) if wanted(len(count)) else None
    around(owner, name)(only)


def command(function):
    """Answers commands; the function gets the answer as it was, the name, the arguments and the call."""
    around(Kit, "command")(lambda command, self, name, args, call: function(
        lambda args=args: command(self, name, args, call), name, args, call))


def all_named():
    """Takes every host for one that names all capabilities."""
    def named(ack, self, frame, raw):
        ack(self, frame, raw)
        self.host_names = ["tool_update", "log", "call_tool"]
    around(Kit, "on_hello_ack")(named)
