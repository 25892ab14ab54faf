"""Frames as lines: a parser that keeps the text of each member, and a writer of the shortest form."""
import json
import re


class Raw(str):
    """The text of a JSON value, which is written as it stands."""


def number(text):
    # int() refuses more than 4,300 digits; such a number is still a number.
    return int(text) if len(text) < 4000 else float(text)


def refuse(name):
    raise ValueError(name + " is no JSON")


DECODER = json.JSONDecoder(parse_int=number, parse_constant=refuse)
SPACE = re.compile(r"[ \t\r\n]*")
# A pair of surrogate escapes, one without its other half, or any other escape.
ESCAPE = re.compile(r"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|(u[dD][89a-fA-F]..)|.)")

# In a string JSON has none: these stand between tokens.
LINE_ENDS = re.compile("[\r\n]")


def members(text):
    """The members of the object in `text`: each name with its value and the text of that."""
    values, raw = {}, {}
    at = SPACE.match(text).end()
    if text[at:at + 1] != "{":
        raise ValueError("no object")
    at = SPACE.match(text, at + 1).end()
    while text[at:at + 1] != "}":
        name, at = json.decoder.scanstring(text, at + 1)
        at = SPACE.match(text, at).end()
        start = SPACE.match(text, at + 1).end()
        values[name], at = DECODER.raw_decode(text, start)
        raw[name] = Raw(text[start:at])
        at = SPACE.match(text, at).end()
        if text[at:at + 1] == ",":
            at = SPACE.match(text, at + 1).end()
    if text[at + 1:].strip():
        raise ValueError("more than an object")
    return values, raw


def encode(value):
    """The compact text of a value; a Raw stands for itself."""
    if isinstance(value, Raw):
        whole = ESCAPE.sub(lambda found: "\\ufffd" if found.group(1) else found.group(), value)
        return LINE_ENDS.sub("", whole)
    if isinstance(value, dict):
        return "{" + ",".join(encode(str(name)) + ":" + encode(one) for name, one in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(encode, value)) + "]"
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def line(frame):
    text = re.sub("[\ud800-\udfff]", "\ufffd", encode(frame))
    return text.encode() + b"\n"
