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
    status = {wait}ctx.request("exec.run", ["make"], on_part=take)
    return [*lines, status]

@ext.tool
{keyword}def plain(ctx): return {wait}ctx.request("exec.run")
"""
SERVED = {"capabilities": ["rpc"], "methods": ["exec.run"]}
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
