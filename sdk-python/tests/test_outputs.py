"""Tools whose model chooses how their value is written, and what a tool proposes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from extline import DefinitionError, Extension, ToolError, ToolResult
from extline.testing import Host

from test_docs import follow


@dataclass
class Hit:
    path: str
    line: int


def test_a_model_chooses_how_a_value_is_written() -> None:
    ext = Extension("find")

    @ext.tool(outputs=("labeled", "json"))
    def find(word: str) -> list[Hit]:
        return [Hit(f"{word}.py", 3)]

    hits = [{"path": "a.py", "line": 3}]
    with Host(ext) as host:
        [told] = [tool for tool in host.tools if tool["name"] == "find"]
        assert told["schema"]["properties"]["output"]["enum"] == ["labeled", "json"]
        assert "outputs" not in told
        for more, text in [
            ({}, "path | line\na.py | 3"),
            ({"output": "labeled"}, "path | line\na.py | 3"),
            ({"output": "json"}, '{"count":1,"items":[{"path":"a.py","line":3}]}'),
        ]:
            answer = host.call("find", word="a", **more)
            assert (answer.text, answer.value) == (text, hits)
        refused = host.call("find", word="a", output="xml")
        assert (refused.kind, refused.field) == ("validation", "/output")


def test_what_is_no_value_stays_as_it_is() -> None:
    ext = Extension("find")

    @ext.tool(outputs=["labeled", "json"])
    def count() -> ToolResult:
        return ToolResult("two hits", structured={"hits": 2})

    @ext.tool(outputs=("json", "labeled"))
    def say() -> str:
        return "two hits"

    @ext.tool(outputs=("json", "labeled"))
    def fail() -> None:
        raise ToolError.conflict("no")

    with Host(ext) as host:
        assert host.call("count").text == "two hits"
        assert host.call("count", output="json").text == '{"hits":2}'
        assert host.call("say").text == "two hits"
        assert (host.call("fail").kind, host.call("fail").text) == ("conflict", "no")


def test_one_form_alone_adds_no_argument() -> None:
    ext = Extension("find")

    @ext.tool(outputs=["labeled"])
    def save(output: str) -> dict[str, Any]:
        return {"saved": output}

    with Host(ext) as host:
        assert host.call("save", output="a.txt").text == "saved: a.txt"


def test_a_tool_proposes_how_it_is_offered() -> None:
    ext = Extension("find")
    preference = {"enabled": False, "weight": 1, "parameters": {"limit": 10}, "reason": "few ask for it"}
    ext.tool(name="find", preference=preference)(lambda limit: limit)  # type: ignore[call-overload]
    with Host(ext) as host:
        assert host.tools[0]["preference"] == preference


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"outputs": "json"}, "outputs is a tuple of words: outputs=('json',)"),
        ({"outputs": {"json"}}, "outputs is a tuple such as ('labeled', 'json'), and not {'json'}"),
        ({"outputs": ("json", 1)}, "outputs is a tuple such as ('labeled', 'json'), and not ('json', 1)"),
        ({"outputs": ("xml",)}, '"xml" is none; there are labeled and json'),
        ({"outputs": ()}, "there is none; leave `outputs` out, or name one"),
        ({"preference": 0.8}, "preference is a dict such as {'weight': 0.8}"),
        ({"preference": {"wait": 0.8}}, "preference has no 'wait'; it has enabled, weight, parameters, reason"),
        ({"preference": {"enabled": 1}}, "preference['enabled'] is a bool, and not 1"),
        ({"preference": {"weight": True}}, "preference['weight'] is a float, and not True"),
        ({"preference": {"parameters": [1]}}, "preference['parameters'] is a dict, and not [1]"),
        ({"preference": {"weight": 1.5}}, "its weight is 1.5, and must be from 0 to 1"),
    ],
)
def test_mistakes_are_told_at_the_author_s_line(options: dict[str, Any], told: str) -> None:
    with pytest.raises(DefinitionError) as raised:
        Extension("x").tool(name="f", **options)(lambda: 1)
    assert told in str(raised.value)
    assert Path(__file__).name in str(raised.value)


def test_an_argument_of_that_name_is_told() -> None:
    with pytest.raises(DefinitionError, match="the tool has an argument `output` of its own: rename it"):

        @Extension("x").tool(outputs=("labeled", "json"))
        def save(output: str) -> None: ...


def test_the_page(tmp_path: Path) -> None:
    follow("python/tools-and-types.md", tmp_path, 2)
