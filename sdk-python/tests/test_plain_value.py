"""Rich results become JSON's own types, or a TypeError that says where."""

from __future__ import annotations

import collections
import dataclasses
import datetime
import decimal
import enum
import pathlib
import uuid
from typing import Any, NamedTuple

import msgspec
import pydantic
import pytest
from extline._native import RawJson, dumps, loads


class Color(enum.Enum):
    RED = "red"


class Size(enum.IntEnum):
    S = 1


class Word(str):
    __slots__ = ()


@dataclasses.dataclass
class Point:
    x: int
    color: Any = Color.RED


@dataclasses.dataclass(frozen=True)
class Slotted:
    __slots__ = ("inner",)
    inner: Point


class Pair(NamedTuple):
    a: int
    b: Any


class User(msgspec.Struct, rename="camel", tag="user"):
    full_name: str
    since: datetime.date
    point: Any = None


class Order(pydantic.BaseModel):
    item: str = pydantic.Field(alias="theItem")
    when: datetime.date


DAY = datetime.date(2026, 1, 31)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        (True, True),
        (2**70, 2**70),
        (1.5, 1.5),
        ("a", "a"),
        ([1, (2, {3}), frozenset({4})], [1, [2, [3]], [4]]),
        (collections.deque([1, Color.RED]), [1, "red"]),
        ({"a": {"b": Size.S}}, {"a": {"b": 1}}),
        ({2: 1, None: 2, True: 3, Color.RED: 4, 1.5: 5}, {"2": 1, "true": 3, "null": 2, "red": 4, "1.5": 5}),
        (collections.OrderedDict(a=Color.RED), {"a": "red"}),
        ({"a": 1}.values(), [1]),
        ({"a": 1}.keys(), ["a"]),
        (range(3), [0, 1, 2]),
        (Color.RED, "red"),
        (Word("w"), "w"),
        ({Word("w"): 1, DAY: 2, uuid.UUID(int=1): 3},
         {"w": 1, "2026-01-31": 2, "00000000-0000-0000-0000-000000000001": 3}),
        (Point(1), {"x": 1, "color": "red"}),
        (Slotted(Point(1, [DAY])), {"inner": {"x": 1, "color": ["2026-01-31"]}}),
        (Pair(1, Color.RED), [1, "red"]),
        (User("a", DAY), {"type": "user", "fullName": "a", "since": "2026-01-31", "point": None}),
        ([User("a", DAY, Order(theItem="t", when=DAY))],
         [{"type": "user", "fullName": "a", "since": "2026-01-31",
           "point": {"theItem": "t", "when": "2026-01-31"}}]),
        (Order(theItem="tea", when=DAY), {"theItem": "tea", "when": "2026-01-31"}),
        (datetime.datetime(2026, 1, 31, 12, tzinfo=datetime.timezone.utc),
         "2026-01-31T12:00:00+00:00"),
        (datetime.time(12, 30), "12:30:00"),
        (datetime.timedelta(minutes=90), "PT5400S"),
        (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (decimal.Decimal("1.10"), "1.10"),
        (pathlib.PurePosixPath("a/b"), "a/b"),
        (User("a", DAY, RawJson("[1.0]")),
         {"type": "user", "fullName": "a", "since": "2026-01-31", "point": [1]}),
    ],
)  # fmt: skip
def test_values(value: Any, expected: Any) -> None:
    assert loads(dumps(value)) == expected


def test_what_it_cannot_be_is_told_with_its_place() -> None:
    class Socket:
        pass

    for value, text in (
        (Socket(), "test_what_it_cannot_be_is_told_with_its_place.<locals>.Socket is no JSON"),
        ({"a/b": [Point(1, {2: object()})]}, "/a~1b/0/color/2: object is no JSON"),
        ([1, {(1, 2): 3}], "/1: keys must be strings, and (1, 2) is tuple"),
        ((i for i in "a"), "generator is no JSON"),
        ([Point], "/0: the class test_plain_value.Point is no JSON"),
        ([1, complex(1)], "/1: complex is no JSON"),
        ([b"hi"], "/0: bytes is no JSON"),
        ([0, User("a", DAY, object())], "/1: object is no JSON"),
    ):
        with pytest.raises(TypeError) as raised:
            dumps(value)
        assert text in str(raised.value)


def test_what_contains_itself_ends() -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(ValueError, match="nested more than 128 levels deep"):
        dumps(endless)
    point = Point(1)
    point.color = point
    with pytest.raises(ValueError, match="nested more than 128 levels deep"):
        dumps(point)
    user = User("a", DAY)
    user.point = user
    with pytest.raises(RecursionError):
        dumps(user)
