"""Mistakes of the kit: what it registers, and the values on their way through it."""
import json
import re

import frames
import kit
import registrations
from frames import Raw, encode
from kit import Kit
from mutation import around, deep, echo, members, mutant, tool, without, written


# ---- what it registers

@mutant
def no_hold():
    registrations.TOOLS[:] = [one for one in registrations.TOOLS if one[0] != "hold"]


@mutant
def other_schema():
    registrations.TOOLS[2] = ("text", "Gives a text back.", '{"type":"object"}')


@mutant
def more_tools():
    registrations.TOOLS.append(("more", "Is not wanted.", '{"type":"object"}'))


@mutant
def keys_sorted():
    def sort(value):
        if isinstance(value, dict):
            return {key: sort(value[key]) for key in sorted(value)}
        return [sort(one) for one in value] if isinstance(value, list) else value
    members(sort)


@mutant
def spaces():
    written(lambda text: text.replace('",', '", ', 1))


@mutant
def tools_first():
    def commands_last(register, self):
        commands, kit.COMMANDS = kit.COMMANDS, []
        register(self)
        for name, description, usage in commands:
            frame = {"type": "register_command", "name": name, "description": description}
            self.emit(frame if usage is None else {**frame, "usage": usage})
    around(Kit, "register")(commands_last)


@mutant
def short_names():
    def cut(call, self, frame, raw):
        call(self, {**frame, "name": str(frame.get("name"))[:63]}, raw)
    around(Kit, "on_tool_call")(cut)


# ---- values

@mutant
def floats():
    echo(lambda call: json.loads(call.raw["args"], parse_int=float))


@mutant
def nulls_dropped():
    echo(lambda call: without(call.args, lambda _, one: one is None))


@mutant
def args_sorted():
    echo(lambda call: dict(sorted(call.args.items())))


@mutant
def args_compact():
    echo(lambda call: call.args)


@mutant
def keys_lost():
    echo(lambda call: without(call.args, lambda key, _: key.startswith("__")))


def shallow(limit):
    def handle(handle, self, frame, raw):
        if deep(frame.get("args")) <= limit:
            handle(self, frame, raw)
    around(Kit, "on_tool_call")(handle)


@mutant
def shallow_32():
    shallow(32)


@mutant
def shallow_100():
    shallow(100)


@mutant
def half_pairs():
    frames.ESCAPE = re.compile("(?!)")


@mutant
def first_key():
    first = lambda pairs: dict(reversed(pairs))
    frames.DECODER = json.JSONDecoder(object_pairs_hook=first)


@mutant
def native_breaks():
    tool("native", lambda call, native: Raw(native(call).replace("\\u0000", "")))


@mutant
def number_floats():
    tool("number", lambda call, _: Raw(encode({"number": float(call.string("literal"))})))


@mutant
def line_ends_kept():
    frames.LINE_ENDS = re.compile("(?!)")
