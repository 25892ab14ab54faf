"""Values of Python and JSON text, both ways."""

from __future__ import annotations

import dataclasses
import enum
import json
import math
import random
from pathlib import PurePosixPath
from typing import Any, NamedTuple

import pytest
from extline._native import dumps, loads


@pytest.mark.parametrize(
    "text",
    [
        "null",
        "true",
        "[]",
        "{}",
        " [ 1 , 2.5 , -0 , -0.0, 1e5, 1E-7, 123456789012345678901234567890 ] ",
        '{"a":{"b":[null,true,false]},"a":2}',
        '"\\u00e9\\ud83d\\ude00\\n\\t\\"\\\\\\/\\b\\f\\r"',
        '{"\\u0061b":1,"":2,"é😀":3}',
        '["' + "x" * 70_000 + '"]',
        "5e-324",
        "1.7976931348623157e308",
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775809",
    ],
)
def test_reading_agrees_with_json(text: str) -> None:
    mine, its = loads(text), json.loads(text)
    assert mine == its
    assert repr(mine) == repr(its)


def test_keys_of_equal_hash_slots_are_not_mixed_up() -> None:
    for number in range(20_000):
        assert loads(f'{{"key{number}":1}}') == {f"key{number}": 1}


@pytest.mark.parametrize("text", ["", "{", "[1,]", "nul", "01", '"\\x"', "[1 2]", "{1:2}", "NaN"])
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="JSON"):
        loads(text)


def test_half_a_surrogate_pair_becomes_the_replacement_character() -> None:
    assert loads('"a\\ud800b"') == "a\ufffdb"
    assert loads(dumps("a\ud800")).startswith("a\ufffd")


def test_nesting_ends_at_128() -> None:
    deep: Any = 0
    for _ in range(128):
        deep = [deep]
    assert dumps(deep) == "[" * 128 + "0" + "]" * 128
    assert loads(dumps(deep)) == deep
    with pytest.raises(ValueError, match="128"):
        dumps([deep])
    with pytest.raises(ValueError, match="128"):
        loads("[" * 129 + "]" * 129)
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(ValueError, match="128"):
        dumps(endless)


class Colour(enum.Enum):
    RED = "red"


class Level(enum.IntEnum):
    HIGH = 3


class Point(NamedTuple):
    x: int
    y: int


@dataclasses.dataclass
class Place:
    name: str
    point: Point


class Word(str):
    pass


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("é\u2028/\x01\x7f", '"é\u2028/\\u0001\x7f"'),
        ({"a": (1, 2)}, '{"a":[1,2]}'),
        (2**70, str(2**70)),
        ([1.0, 1e300, 0.1, -0.0], "[1.0,1e300,0.1,-0.0]"),
        ([Colour.RED, Level.HIGH, Word("w")], '["red",3,"w"]'),
        (Place("here", Point(1, 2)), '{"name":"here","point":[1,2]}'),
        ({"path": PurePosixPath("/a/b"), "set": {3, 1, 2}}, '{"path":"/a/b","set":[1,2,3]}'),
    ],
)
def test_values_are_written_compact(value: Any, text: str) -> None:
    assert dumps(value) == text


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"a": [1, math.nan]}, "/a/1: JSON has no NaN"),
        ([-math.inf], "/0: JSON has no -infinity"),
        ({"a/b": {"c": object()}}, "/a~1b/c: object is no JSON value"),
        ({"a": {(1,): 2}}, "/a: keys must be strings, and (1,) is tuple"),
        (b"bytes", "bytes is no JSON value"),
    ],
)
def test_what_json_cannot_hold_is_refused_with_its_place(value: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError)) as raised:
        dumps(value)
    assert str(raised.value) == message


def test_random_values_come_back() -> None:
    chance = random.Random(7)

    def value(depth: int) -> Any:
        kinds = 8 if depth < 4 else 6
        match chance.randrange(kinds):
            case 0:
                return None
            case 1:
                return chance.random() < 0.5
            case 2:
                return chance.randrange(-(2**80), 2**80)
            case 3:
                return chance.uniform(-1e9, 1e9)
            case 4:
                return chance.choice(["", "a", "\n\t\"\\", "é😀", "\x00\x1f", "x" * 100])
            case 5:
                return chance.random() * 10 ** chance.randrange(-300, 300)
            case 6:
                return [value(depth + 1) for _ in range(chance.randrange(5))]
            case _:
                return {f"k{chance.randrange(9)}": value(depth + 1) for _ in range(chance.randrange(5))}

    for _ in range(2000):
        original = value(0)
        text = dumps(original)
        assert loads(text) == original == json.loads(text)


def test_raw_json_goes_over_the_wire_as_it_stands(start) -> None:
    peer = start(
        """
        @ext.tool(schema={"type": "object"})
        def echo(ctx, **args):
            return ctx.raw_args

        @ext.tool
        async def nested(ctx):
            return {"raw": RawJson(' [1.10,\\n "\\\\u00e9"] '), "own": ctx.raw_args.load()}
        """
    )
    args = '{ "a" : 1.10, "\\u0061": 1E+2 }'
    peer.write(f'{{"type":"tool_call","id":"1","name":"echo","args":{args}}}\n'.encode())
    assert peer.line().endswith(f'"structured_content":{args}}}'.encode())
    peer.begin("nested", "2")
    assert peer.line().endswith(b'"structured_content":{"raw":[1.10, "\\u00e9"],"own":{}}}')


def test_raw_json_is_a_value_of_its_own() -> None:
    from extline import RawJson

    raw = RawJson(' {"a": 1.0}\n')
    assert (raw.text, str(raw), raw.load()) == ('{"a": 1.0}', '{"a": 1.0}', {"a": 1.0})
    assert raw == RawJson('{"a": 1.0}') != RawJson("1")
    assert len({raw, RawJson('{"a": 1.0}')}) == 1
    with pytest.raises(ValueError, match="not a JSON value"):
        RawJson("{")
