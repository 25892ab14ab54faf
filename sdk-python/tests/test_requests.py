"""Answers in parts to what an extension asks its host."""

from __future__ import annotations

import pytest

ASKING = """
@ext.tool
{keyword}def build(ctx, fails_at: str = ""):
    lines = []
    {keyword}def take(line):
        lines.append(line)
        if line == fails_at: raise ToolError.budget("enough")
    status = {wait}ctx.request("build.run", ["make"], on_part=take)
    return [*lines, status]

@ext.tool
{keyword}def plain(ctx): return {wait}ctx.request("build.run")
"""
SERVED = {"capabilities": ["rpc"], "methods": ["build.run"]}
BOTH = pytest.mark.parametrize(("keyword", "wait"), [("", ""), ("async ", "await ")])


def part(of: str, number: int, data: object) -> dict[str, object]:
    return {"type": "response_part", "id": of, "seq": number, "data": data}


@BOTH
def test_each_part_comes_before_the_result(start, keyword: str, wait: str) -> None:
    peer = start(ASKING.format(keyword=keyword, wait=wait), **SERVED)
    for together in (False, True):
        peer.begin("build")
        id = peer.next("request")["id"]
        frames = [part(id, 1, "a"), part(id, 2, {"b": [1]}), {"type": "response", "id": id, "result": 7}]
        for some in [frames] if together else [[one] for one in frames]:
            peer.send(*some)
        assert peer.next("tool_result")["structured_content"] == ["a", {"b": [1]}, 7]
    # Who does not ask for parts gets the result alone.
    peer.begin("plain")
    id = peer.next("request")["id"]
    peer.send(part(id, 1, "a"), {"type": "response", "id": id, "result": 8})
    assert peer.next("tool_result")["structured_content"] == 8
    assert peer.shut_down() == 0


@BOTH
def test_an_error_in_a_part_ends_the_request(start, keyword: str, wait: str) -> None:
    peer = start(ASKING.format(keyword=keyword, wait=wait), **SERVED)
    peer.begin("build", fails_at="b")
    id = peer.next("request")["id"]
    peer.send(part(id, 1, "a"), part(id, 2, "b"), part(id, 3, "c"))
    assert peer.next("cancel")["id"] == id
    failed = peer.next("tool_result")
    assert (failed["error"]["kind"], failed["content"][0]["text"]) == ("budget", "enough")
    assert peer.shut_down() == 0


@BOTH
def test_a_cancel_ends_a_request_between_its_parts(start, keyword: str, wait: str) -> None:
    peer = start(ASKING.format(keyword=keyword, wait=wait), **{**SERVED, "capabilities": ["rpc", "tool_cancel"]})
    peer.begin("build")
    id = peer.next("request")["id"]
    peer.send(part(id, 1, "a"), {"type": "tool_cancel", "id": "1"})
    said = {peer.next()["type"] for _ in range(2)}
    assert said == {"cancel", "tool_result"}
    assert peer.shut_down() == 0


SERVING = """
import asyncio
{header}

@ext.method("yields")
{keyword}def yields(params):
    for number in range(params):
        yield number
    {end}

@ext.method("sends")
{keyword}def sends(params, ctx):
    for number in range(params):
        {wait}ctx.send_part(number)
    return "sent"

@ext.tool
{keyword}def no_method(ctx): {wait}ctx.send_part(1)
"""
PARTS = pytest.mark.parametrize(
    ("keyword", "wait", "end", "result"),
    [("", "", "return 'yielded'", "yielded"), ("async ", "await ", "", None)],
)
SERVES = {"capabilities": ["rpc", "tool_cancel"]}


def serving(keyword: str, wait: str, end: str, header: str = "") -> str:
    return SERVING.format(keyword=keyword, wait=wait, end=end, header=header)


def ask(method: str, params: object, id: str = "1") -> dict[str, object]:
    return {"type": "request", "id": id, "method": method, "params": params}


@PARTS
def test_a_method_answers_in_parts(start, keyword: str, wait: str, end: str, result: object) -> None:
    peer = start(serving(keyword, wait, end), **SERVES)
    for method, answer in (("yields", result), ("sends", "sent")):
        peer.send(ask(method, 3))
        parts = [peer.next() for _ in range(3)]
        assert [(one["type"], one["seq"], one["data"]) for one in parts] == [
            ("response_part", number + 1, number) for number in range(3)
        ]
        assert peer.next("response").get("result") == answer
    peer.begin("no_method")
    assert peer.next("tool_result")["error"]["kind"] == "unsupported"
    assert peer.shut_down() == 0


@PARTS
def test_parts_wait_for_a_host_that_does_not_read(start, keyword: str, wait: str, end: str, result: object) -> None:
    peer = start(serving(keyword, wait, end), **SERVES)
    # More than a pipe holds, and far more than may wait: all of them come, once the host reads.
    count = 1000
    for method in ("yields", "sends"):
        peer.send(ask(method, count))
        assert [peer.next("response_part")["data"] for _ in range(count)] == list(range(count))
        assert peer.next("response")["id"] == "1"
    assert peer.shut_down() == 0


@PARTS
def test_a_cancel_ends_the_parts(start, keyword: str, wait: str, end: str, result: object) -> None:
    header = """
@ext.method("ends")
{keyword}def ends(params, ctx):
    try:
        while True:
            {sleep}
            yield 1
    finally:
        ctx.log("closed")
""".format(keyword=keyword, sleep="await asyncio.sleep(0.001)" if keyword else "ctx.sleep(0.001)")
    peer = start(serving(keyword, wait, end, header), capabilities=["rpc", "tool_cancel", "log"])
    peer.send(ask("ends", None))
    peer.next("response_part")
    peer.send({"type": "cancel", "id": "1"})
    said = []
    while len({one["type"] for one in said} & {"log", "response"}) < 2:
        said.append(peer.next())
    response = next(one for one in said if one["type"] == "response")
    assert response["error"]["code"] == "cancelled"
    assert peer.shut_down() == 0
