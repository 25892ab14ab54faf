"""The rows of docs/python/tools-and-types.md through a real process: the core's validator and ``bind``
together hand over what the page says, and refuse what the annotations refuse, at the same place
and in the same words."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
import threading
from typing import Any

import pytest
from test_describe_types import REFUSED, rows

pytest.importorskip("extline._native", reason="the native module is not built")

EXTENSION = """
import sys
sys.path[:0] = {path!r}
from extline import Extension
from test_describe_types import SAMPLES, rows

ext = Extension("types", "1.0.0")
for nth, (annotation, *_) in enumerate(rows()):
    space = SAMPLES.copy()
    exec(f"def tool{{nth}}(x: {{annotation}}): return repr(x)", space)
    ext.tool(space[f"tool{{nth}}"])

@ext.tool
def positional(a: int, b: float = 1, /):
    return repr((a, b))

def own_schema(a: int):
    return repr(a)

ext.tool(own_schema, schema={{"properties": {{"a": {{"type": "integer"}}}}, "required": ["a"]}})
ext.run()
"""


def answers(calls: dict[str, tuple[str, str]]) -> dict[str, dict[str, Any]]:
    """The results of calls, each a tool and the text of its arguments, by their ids."""
    frames = [
        f'{{"type":"tool_call","id":{json.dumps(key)},"name":"{tool}","args":{args}}}\n'
        for key, (tool, args) in calls.items()
    ]
    path = [str(pathlib.Path(__file__).parent), *(one for one in sys.path if one)]
    results: dict[str, dict[str, Any]] = {}
    with subprocess.Popen(
        [sys.executable, "-c", EXTENSION.format(path=path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        hanging = threading.Timer(120, process.kill)
        hanging.start()
        process.stdin.write("".join(frames))
        process.stdin.flush()
        for line in process.stdout:
            frame = json.loads(line)
            if frame["type"] == "tool_result":
                results[frame["id"]] = frame
            if len(results) == len(calls):
                break
        process.stdin.close()
        process.stdout.read()
        hanging.cancel()
    assert results.keys() == calls.keys()
    return results


def text_of(result: dict[str, Any]) -> str:
    text: str = result["content"][0]["text"]
    return text


def test_what_the_page_says_is_what_a_handler_gets() -> None:
    calls = {row[0]: (f"tool{nth}", f'{{"x":{row[2]}}}') for nth, row in enumerate(rows())}
    results = answers(calls)
    assert {key: text_of(one) for key, one in results.items()} == {row[0]: row[3] for row in rows()}


def test_what_an_annotation_refuses_is_answered_with_the_place() -> None:
    calls, expected = {}, {}
    for nth, (annotation, values) in enumerate(REFUSED.items()):
        for value, pointer, message in values:
            key = f"{annotation} {value!r}"
            calls[key] = (f"tool{nth}", json.dumps({"x": value}))
            expected[key] = ("/x" + pointer, message)
    for key, result in answers(calls).items():
        pointer, message = expected[key]
        assert result["error"]["kind"] == "validation", key
        assert result["error"]["field"] == pointer, key
        assert message in text_of(result), key


def test_positional_only_parameters_and_a_schema_of_the_author_s_own() -> None:
    results = answers(
        {
            "whole": ("positional", '{"a":1.0,"b":2}'),
            "default": ("positional", '{"a":1}'),
            "others": ("own_schema", '{"a":1,"unknown":2}'),
        }
    )
    assert {key: text_of(one) for key, one in results.items()} == {
        "whole": "(1, 2.0)",
        "default": "(1, 1)",
        "others": "1",
    }
