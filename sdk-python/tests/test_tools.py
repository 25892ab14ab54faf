"""Tools over real pipes: arguments, results, failures."""

from __future__ import annotations

from typing import Any

import pytest
from extline import Context, Extension
from extline.testing import Host
from wire import text


def test_the_sample_is_answered_on_the_wire(start) -> None:
    peer = start(
        '''
        @ext.tool
        def weather(city: str, units: str = "c", *, ctx) -> str:
            """Current weather for a city.

            city: City name
            """
            ctx.update(f"asking for {city}", done=1, total=2)
            if city == "Atlantis":
                raise ToolError.not_found("no such city", field="/city", hint="try another")
            return f"{city}: 16°C, fog"
        ''',
        capabilities=["tool_update"],
    )
    tool = peer.start[1]
    assert (tool["name"], tool["description"]) == ("weather", "Current weather for a city.")
    assert tool["schema"]["properties"]["city"]["description"] == "City name"
    peer.begin("weather", city="Berlin")
    update = {"done": 1, "total": 2, "message": "asking for Berlin"}
    assert peer.next("tool_update")["progress"] == update
    assert peer.line() == (
        '{"type":"tool_result","id":"1","content":[{"type":"text","text":"Berlin: 16°C, fog"}]}'
    ).encode()
    refused = peer.call("weather", city=5)
    assert refused["error"]["kind"] == "validation"
    assert refused["error"]["field"] == "/city"
    peer.begin("weather", city="Atlantis")
    assert peer.next()["type"] == "tool_update"
    failed = peer.next("tool_result")
    assert failed["is_error"] is True
    assert text(failed) == "no such city\nhint: try another"
    assert failed["error"] == {
        "kind": "not_found",
        "message": "no such city",
        "field": "/city",
        "hint": "try another",
    }
    assert peer.shut_down() == 0
    assert peer.frames()[-1] == {"type": "shutdown_ack"}
    assert peer.stderr() == ""


@pytest.mark.parametrize(
    ("returned", "expected"),
    [
        ("'x'", '"content":[{"type":"text","text":"x"}]'),
        ("''", '"content":[{"type":"text","text":""}]'),
        ("None", '"content":[]'),
        ("{'a': [1, 2.5]}", '"content":[{"type":"text","text":"{\\"a\\":[1,2.5]}"}],"structured_content":{"a":[1,2.5]}'),
        ("7", '"content":[{"type":"text","text":"7"}],"structured_content":7'),
        ("[]", '"content":[{"type":"text","text":"[]"}],"structured_content":[]'),
        # By its type and not by what is in it: a list is a value.
        ("['a', 'b']", '"content":[{"type":"text","text":"[\\"a\\",\\"b\\"]"}],"structured_content":["a","b"]'),
        ("('a',)", '"content":[{"type":"text","text":"[\\"a\\"]"}],"structured_content":["a"]'),
        ("ToolResult(['a', image(b'foo', 'image/png')])", '"content":[{"type":"text","text":"a"},{"type":"image","mime_type":"image/png","data":"Zm9v"}]'),
        ("image(b'GIF89a')", '"content":[{"type":"image","mime_type":"image/gif","data":"R0lGODlh"}]'),
        (
            "ToolResult('w', details={'n': 1}, activate=['t'], effects=[{'kind': 'file', 'op': 'create', 'path': 'p', 'bytes_after': 0}])",
            '"content":[{"type":"text","text":"w"}],"activate_tools":["t"],"details":{"n":1},"effects":[{"kind":"file","op":"create","path":"p","bytes_after":0}]',
        ),
        ("ToolResult(structured={'a': 1}, is_error=True)", '"content":[{"type":"text","text":"{\\"a\\":1}"}],"is_error":true,"structured_content":{"a":1}'),
    ],
)
def test_results_stand_on_the_wire_as_the_protocol_says(start, returned: str, expected: str) -> None:
    peer = start(f"@ext.tool\ndef give(): return {returned}\n")
    peer.begin("give")
    assert peer.line().decode() == '{"type":"tool_result","id":"1",' + expected + "}"


@pytest.mark.parametrize(
    ("body", "part"),
    [
        ("return object()", "object is no JSON value"),
        ("return b'x'", "image(data, mime_type)"),
        ("return float('nan')", "NaN"),
        ("raise SystemExit(3)", "sys.exit(3)"),
        ("raise KeyError('k')", "KeyError: 'k'"),
        ("raise KeyboardInterrupt", "interrupted"),
        ("return give()", "RecursionError"),
        ("raise MemoryError", "MemoryError"),
        ("async def later(): pass\n    return later()", "async def"),
        ("yield 5", "a str, or an Update"),
        ("class Odd(Exception):\n        def __str__(self): raise ValueError\n    raise Odd", "Odd"),
    ],
)
def test_every_failure_is_answered(start, body: str, part: str) -> None:
    peer = start(f"@ext.tool\ndef give():\n    {body}\n\n@ext.tool\ndef well(): return 'well'\n")
    failed = peer.call("give")
    assert failed["is_error"] is True
    assert part in text(failed)
    if "KeyboardInterrupt" not in body:
        assert text(peer.call("well")) == "well"
        assert peer.shut_down() == 0


def test_the_author_sees_the_traceback_and_the_model_a_line(start) -> None:
    peer = start("@ext.tool\ndef give(n: int):\n    return 1 // n\n")
    assert text(peer.call("give", n=0)) == "tool give failed: ZeroDivisionError: integer division or modulo by zero"
    assert "extension_under_test.py" in peer.stderr()
    assert "return 1 // n" in peer.stderr()


def test_generators_show_updates_and_return_the_result(start) -> None:
    peer = start(
        """
        @ext.tool
        def count(n: int):
            yield "begin"
            for at in range(n):
                yield Update("counting", done=at, total=n, unit="steps", text="so far")
            return {"n": n}
        """,
        capabilities=["tool_update"],
    )
    peer.begin("count", n=0)
    assert peer.next("tool_update")["progress"] == {"message": "begin"}
    assert peer.next("tool_result")["structured_content"] == {"n": 0}


def test_a_generator_is_closed_when_the_call_is_cancelled(start) -> None:
    peer = start(
        """
        import time
        closed = []

        @ext.tool
        def count():
            try:
                while True:
                    yield "on"
                    time.sleep(0.01)
            finally:
                closed.append(1)

        @ext.tool
        def told() -> int:
            return len(closed)
        """
    )
    peer.begin("count", "a")
    assert peer.call("told")["structured_content"] == 0
    peer.send({"type": "tool_cancel", "id": "a"})
    assert peer.next("tool_result")["error"]["kind"] == "cancelled"
    assert peer.call("told")["structured_content"] == 1


def test_numbers_arrive_as_the_annotations_say(start) -> None:
    peer = start("@ext.tool\ndef kinds(a: int, b: float): return repr((a, b))\n")
    assert text(peer.call("kinds", a=3, b=2.5)) == "(3, 2.5)"
    peer.write(b'{"type":"tool_call","id":"2","name":"kinds","args":{"a":3.0,"b":2}}\n')
    assert text(peer.next("tool_result")) == "(3, 2.0)"
    big = 2**200
    assert text(peer.call("kinds", a=big, b=0.1)) == f"({big}, 0.1)"


def test_richer_annotations_are_checked_before_the_handler_runs(start) -> None:
    peer = start(
        """
        import dataclasses

        @dataclasses.dataclass
        class Point:
            x: int
            y: int = 0

        @ext.tool
        def move(to: Point): return repr(to)
        """
    )
    assert text(peer.call("move", to={"x": 1})) == "Point(x=1, y=0)"
    refused = peer.call("move", to={"x": "1"})
    assert (refused["error"]["kind"], refused["error"]["field"]) == ("validation", "/to/x")


def test_tools_come_from_functions_methods_partials_and_at_run_time(start) -> None:
    peer = start(
        """
        from functools import partial

        class Shelf:
            def __init__(self): self.books = []
            def put(self, title: str): self.books.append(title)
            def read(self): return self.books

        shelf = Shelf()
        ext.tool(shelf.put)
        ext.tool(name="titles")(shelf.read)

        def power(base: int, exponent: int): return base**exponent

        ext.tool(partial(power, exponent=2), name="square")

        @ext.command("more")
        def more(args):
            @ext.tool
            def late(): return "late"
        """,
        capabilities=["tool_registry"],
    )
    assert [f["name"] for f in peer.start if f["type"] == "register_tool"] == ["put", "titles", "square"]
    peer.call("put", title="Emma")
    assert peer.call("titles")["content"] == [{"type": "text", "text": '["Emma"]'}]
    assert peer.call("square", base=5)["structured_content"] == 25
    peer.send({"type": "command_invoked", "id": "1", "name": "more"})
    assert peer.next("register_tool")["name"] == "late"
    assert peer.next("command_response")["action"] == "noop"
    assert text(peer.call("late")) == "late"


def test_gated_is_an_approval_of_its_own_and_a_part_of_one(start) -> None:
    peer = start(
        """
        @ext.tool(gated=True)
        def one(): return ""

        @ext.tool(gated=True, approval={"key": "{path}", "reason": "it deletes"})
        def two(path: str): return path

        @ext.tool(approval={"tier": "write"})
        def three(): return ""
        """
    )
    told = [frame["approval"] for frame in peer.start if frame["type"] == "register_tool"]
    assert told == [
        {"gated": True},
        {"key": "{path}", "reason": "it deletes", "gated": True},
        {"tier": "write"},
    ]


def says(args: dict[str, Any]) -> Any:
    city = args["city"]
    said = {"Rome": False, "Bonn": True, "Hell": {"policy": "deny", "reason": "it is too hot"}}
    return {**said, "Ur": {"key": "{city}", "tier": None}, "Styx": "yes"}.get(city, {"policy": city})


@pytest.mark.parametrize("is_async", [False, True])
def test_a_function_says_of_a_call_whether_it_is_to_be_approved(is_async: bool) -> None:
    ext = Extension("weather", "1.0.0")

    async def later(args: dict[str, Any], ctx: Context) -> Any:
        assert ctx.host.name
        return says(args)

    @ext.tool(gated=later if is_async else says, approval={"tier": "read"})
    def weather(city: str) -> str:
        return "fog"

    with Host(ext) as host:
        frames = str(host.transcript)
        assert '"methods":["tool.approval"]' in frames
        assert '"approval":{"gated":true,"dynamic":true,"tier":"read"}' in frames

        def ask(city: Any, tool: str = "weather") -> Any:
            return host.request("tool.approval", {"tool": tool, "args": {"city": city}})

        assert ask("Rome").value == {"policy": "allow"}
        assert ask("Bonn").value == {"policy": "prompt"}
        assert ask("Hell").value == {"policy": "deny", "reason": "it is too hot"}
        assert ask("Ur").value == {"key": "{city}"}
        assert ask("Styx").error["code"] == "internal"
        assert "must return True, False or a dict" in ask("Styx").error["message"]
        perhaps = """returned {'policy': 'perhaps'}: /policy: expected "allow", "deny" or "prompt", found "perhaps\""""
        assert perhaps in ask("perhaps").error["message"]
        assert "KeyError" in host.request("tool.approval", {"tool": "weather", "args": {}}).error["message"]
        assert ask("Rome", "none").error["code"] == "not_found"
        assert host.request("tool.approval", []).error["code"] == "validation"
