"""Tools that answer at once, with each kind of value."""
from extline import RawJson, ToolResult, image, view
from memory import kit, tool

ANY = '{"type":"object"}'
NONE = '{"type":"object","properties":{}}'


@tool("echo", "Gives its arguments back.", ANY)
def echo(ctx, **args):
    return ctx.raw_args


@tool("native", "Gives its arguments back by way of native values.", ANY)
def native(**args):
    return args


@tool("text", "Gives a text back.", '{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}')
def text(text):
    return text


@kit.tool(description="Wants a city.")
def typed(city: str, **others):
    return city


@tool("number", "Gives a number back.", '{"type":"object","properties":{"literal":{"type":"string"}},"required":["literal"]}')
def number(literal):
    return RawJson(f'{{"number":{literal}}}')


@tool("nothing", "Answers with nothing.", NONE)
def nothing():
    return None


@tool("half", "Gives half a character.", NONE)
def half():
    return "\ud83d"


@tool("bytes", "Gives so many bytes.", '{"type":"object","properties":{"n":{"type":"integer","minimum":0},"kind":{"enum":["text","image"]}},"required":["n"]}')
def so_many_bytes(n, kind="text"):
    if kind == "text":
        return "x" * n
    return image(bytes(i % 256 for i in range(n)), "image/png")


@tool("image", "Gives an image between two texts.", NONE)
def between():
    return ToolResult(["before", image(b"\x89PNG\r\n\x1a\n"), "after"])


@tool("full", "Answers with everything that a result can hold.", NONE)
def full():
    modified = {"kind": "file", "op": "modify", "path": "notes.md", "bytes_before": 0, "bytes_after": 12}
    made = {"kind": "process", "command": "make", "pid": 7, "exit_code": 0}
    return ToolResult(
        "full",
        activate=["declared"],
        details={"lines": 0},
        view=view.lines(["full"]),
        effects=[modified, made],
        trust="untrusted",
    )
